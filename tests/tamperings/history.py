"""The tree heads that were published, their cosignatures, and a second history."""

import dataclasses
from collections.abc import Callable
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from governance.ledger import keyring
from suture_verify.notes import parse_notes, sign_note
from tests.ledger.tampering import entries
from tests.tamperings.chains import restored, rewritten
from tests.tamperings.commands import Command
from tests.tamperings.prepared import WITNESS
from tests.tamperings.tampering import Change, Class, Copy, Finds, Tampering

CHAIN, CHECK, OFFLINE = Command.VERIFY_CHAIN, Command.CHECK_LEDGER, Command.OFFLINE

_COSIGNED = f"— {WITNESS} "


def _notes(change: Callable[[list[str]], list[str]], *touched: str) -> Change:
    """Change the published notes, each of which is a text: all, unless it says which."""

    def run(copy: Copy) -> None:
        text = copy.notes.read_text()
        notes = [f"suture/{rest}" for rest in text.split("suture/")[1:]]
        assert "".join(notes) == text
        assert len(notes) == 3
        copy.notes.write_text("".join(change(notes)))

    return Change(run, frozenset(touched), frozenset({"notes"}))


def _first(**changes: Any) -> Change:
    return _notes(lambda notes: [_signed(notes[0], **changes), *notes[1:]], "first_note")


def _last(change: Callable[[list[str]], str], *read: str) -> Change:
    return _notes(lambda notes: [*notes[:-1], change(notes)], "last_note", *read)


def _signed(note: str, key: Ed25519PrivateKey | None = None, **changes: Any) -> str:
    """A note with another tree head, that the server's own key signs, where no other is given."""
    (parsed,) = parse_notes(note)
    return sign_note(dataclasses.replace(parsed.tree_head, **changes), key or keyring.current().private)


def _cosigned_by(note: str, of: str | None) -> str:
    """A note with the cosignature of another note in the place of its own, or with none."""
    own, other = (next(line for line in text.splitlines() if line.startswith(_COSIGNED)) for text in (note, of or note))
    return note.replace(f"{own}\n", f"{other}\n" if of else "")


def _sign_all(copy: Copy) -> None:
    """Sign tree heads of the ledger as it is now with the server's own key, in the place of all that were published."""
    chain = entries(copy.world)
    heads = [note.tree_head for note in parse_notes(copy.notes.read_text())]
    now = [dataclasses.replace(head, head=bytes(chain[head.seq].hash)) for head in heads]
    copy.notes.write_text("".join(sign_note(head, keyring.current().private) for head in now))


def _case(name: str, does: Callable[[Copy], None], *told: str, **found: Finds) -> Tampering:
    commands = {Command[name]: finds for name, finds in found.items()}
    return Tampering(Class.TREE_HEADS, name, does, {CHAIN: list(told), **commands} if told else commands)


def _one_after_another(*parts: Callable[[Copy], None]) -> Callable[[Copy], None]:
    def run(copy: Copy) -> None:
        for part in parts:
            part(copy)

    return run


def _delete(copy: Copy) -> None:
    copy.notes.unlink()


_NO_TREE_HEADS = "no tree heads: rows: the ledger was first sealed at "
_NOT_WITNESSED = "not witnessed: governance at {last}: 0 of 1 needed witnesses cosigned the newest tree head"
_SPLIT = [
    f"split view: governance at {{{seq}}}: the entry is not the one that the tree head names"
    for seq in ("published_before", "last")
]

TAMPERINGS = [
    _case("a deleted file of tree heads", _delete, _NO_TREE_HEADS),
    _case("an emptied file of tree heads", _notes(lambda notes: []), _NO_TREE_HEADS),
    _case(
        "an earlier tree head with another root",
        _first(root=bytes(32)),
        "split view: governance at {seal}: the first {size_first} leaves do not give the tree head's root",
    ),
    _case(
        "an earlier tree head with another entry",
        _first(head=bytes(32)),
        "split view: governance at {seal}: the entry is not the one that the tree head names",
    ),
    _case(
        "an earlier tree head that another key signed",
        _first(key=Ed25519PrivateKey.generate()),
        "key: governance at {seal}: a key that was not the chain's at this entry signed the tree head",
    ),
    _case(
        "the last tree head with another root",
        _last(lambda notes: _signed(notes[-1], root=bytes(32))),
        "split view: governance at {last}: the first {size} leaves do not give the tree head's root",
        _NOT_WITNESSED,
    ),
    _case(
        "a tree head of what is not there",
        _notes(lambda notes: [*notes, _signed(notes[-1], size=1000, seq=1000)]),
        "truncated: governance at 1000: the tree head covers 1000 leaves, and there are {size}",
        CHECK_LEDGER=["{slug}: The database has no entry 1000 of the governance chain"],
    ),
    Tampering(
        Class.TREE_HEADS,
        "a tree head that cannot be read",
        _notes(lambda notes: [notes[0].replace("\n", "\nx", 1), *notes[1:]]),
        {
            CHECK: [
                ("{slug}: The file of published tree heads ", "cannot be read (line 2: the size is not a whole number)")
            ]
        },
        refused={CHAIN: "cannot be read (line 2: the size is not a whole number)"},
    ),
    _case(
        "a deleted cosignature",
        _last(lambda notes: _cosigned_by(notes[-1], None)),
        _NOT_WITNESSED,
    ),
    _case(
        "the cosignature of another tree head",
        _last(lambda notes: _cosigned_by(notes[-1], notes[0]), "first_note"),
        _NOT_WITNESSED,
    ),
    # the witness has seen the first one, and so have those who kept its tree heads
    _case(
        "a second history with tree heads of its own",
        _one_after_another(rewritten(), _sign_all),
        _NOT_WITNESSED,
        OFFLINE=_SPLIT,
    ),
    _case(
        "a second history without tree heads", _one_after_another(rewritten(), _delete), _NO_TREE_HEADS, OFFLINE=_SPLIT
    ),
    # on the server nothing is left that knows of it
    _case(
        "an older backup of the database and of the tree heads",
        _one_after_another(restored, _notes(lambda notes: notes[:-1])),
        OFFLINE=["older than the tree head: governance at {last}: the tree head names entry {last}"],
    ),
]
