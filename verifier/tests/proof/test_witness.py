"""A witness cosigns only extensions of its last tree head, and its cosignatures are counted."""

import base64
import http.client
import os
import socket
import stat
import threading
from contextlib import closing, contextmanager
from hashlib import sha256

import pytest
from click.testing import CliRunner
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from suture_verify import merkle
from suture_verify.cli import main
from suture_verify.cosignatures import MalformedKey, Quorum, VerifierKey, cosign, cosigned_at, parse_key
from suture_verify.notes import SignedNote, parse_notes, parse_signature_lines
from suture_verify.witness import server, store
from suture_verify.witness.witness import Witness
from suture_verify.witnessing import Refusal, Request, SizeMismatch, parse_request
from tests.proof.ledgers import Ledger, digest, small_ledger

pytestmark = pytest.mark.pure

NAME = "witness.example.com/w1"


@contextmanager
def opened(folder, *ledgers, name=NAME):
    """A witness of these ledgers with its store in the folder."""
    with closing(store.Store(folder)) as kept:
        yield Witness(kept, name, [one.public() for one in ledgers])


@pytest.fixture
def witness(tmp_path, ledger):
    with opened(tmp_path / "w1", ledger) as made:
        yield made


def path(ledger: Ledger, old: int, new: int | None = None) -> tuple[bytes, ...]:
    """The consistency proof between two sizes of the ledger's tree."""
    hashes = [leaf.hash for leaf in ledger.leaves]
    return tuple(
        merkle.consistency_path(
            old, ledger.sealed if new is None else new, lambda start, end: merkle.root_of(hashes[start:end])
        )
    )


def asked(ledger: Ledger, old: int = 0, **changes) -> Request:
    """The request to cosign the ledger's current tree head."""
    return Request(old, path(ledger, old), ledger.note(**changes))


def grown(ledger: Ledger, text: str = "row") -> Ledger:
    """The same ledger with more rows, sealed."""
    copy = ledger.copy()
    for _ in range(3):
        copy.row()
    copy.add("policy.changed", policy=text)
    copy.seal()
    return copy


def cosigned(note: SignedNote, *witnesses_and_requests) -> SignedNote:
    """The note with the cosignatures of witnesses."""
    lines = [witness.add(request) for witness, request in witnesses_and_requests]
    return SignedNote(note.tree_head, (*note.signatures, *lines))


# -- What it cosigns.


def test_it_works(witness, ledger):
    first = asked(ledger)
    note = cosigned(first.note, (witness, first))
    more = grown(ledger)
    second = cosigned(more.note(), (witness, asked(more, ledger.sealed)))

    for one in (note, second):
        assert cosigned_at(one, witness.verifier_key) is not None
        assert parse_notes(one.text) == [one]
        assert one.verify([ledger.public()]) == ledger.public()
    assert cosigned_at(ledger.note(), witness.verifier_key) is None
    assert cosigned_at(SignedNote(second.tree_head, note.signatures), witness.verifier_key) is None


def test_a_cosignature_follows_c2sp(ledger):
    key = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
    public = key.public_key().public_bytes_raw()
    head = ledger.note().tree_head
    line = cosign(head, key, NAME, 1679315147)

    assert line.key_id == sha256(NAME.encode() + b"\n\x04" + public).digest()[:4]
    assert line.signature[:8] == (1679315147).to_bytes(8, "big")
    key.public_key().verify(line.signature[8:], b"cosignature/v1\ntime 1679315147\n" + head.text.encode())
    text = SignedNote(head, (line,)).signature_lines
    assert text == f"— {NAME} {base64.b64encode(line.key_id + line.signature).decode()}\n"
    assert parse_signature_lines(text) == [line]


def test_the_same_tree_head_is_cosigned_again(witness, ledger):
    witness.add(asked(ledger))
    assert witness.add(Request(ledger.sealed, (), ledger.note())).name == NAME


def test_more_entries_without_more_rows_are_cosigned(witness, ledger):
    witness.add(asked(ledger))
    ledger.add("policy.changed", policy="open")
    assert witness.add(Request(ledger.sealed, (), ledger.note())).name == NAME


# -- What it refuses.


def refused(witness, request):
    with pytest.raises(Refusal) as refusal:
        witness.add(request)
    return refusal.value.status


def test_a_proof_from_elsewhere_is_answered_with_the_size_that_it_has_seen(witness, ledger):
    with pytest.raises(SizeMismatch) as other:
        witness.add(asked(ledger, 2))
    assert (other.value.status, other.value.reason) == (409, "0\n")
    witness.add(asked(ledger))
    with pytest.raises(SizeMismatch) as other:
        witness.add(asked(grown(ledger)))
    assert other.value.reason == f"{ledger.sealed}\n"


def test_another_history_is_refused_and_changes_nothing(witness, ledger, tmp_path):
    other = ledger.copy()
    other.leaves[0] = other.leaves[0]._replace(hash=digest("another row"))
    witness.add(asked(ledger))
    (file,) = (tmp_path / "w1" / "notes").iterdir()
    before = file.read_bytes()

    assert refused(witness, asked(grown(other), ledger.sealed)) == 422
    # of the same size
    assert refused(witness, Request(ledger.sealed, (), other.note())) == 409
    # the same rows, and another last entry
    assert refused(witness, Request(ledger.sealed, (), ledger.note(head=digest("another entry")))) == 422
    # fewer rows than it has seen
    assert refused(witness, Request(2, (), ledger.note(size=2, root=ledger.root(2)))) == 409
    assert file.read_bytes() == before
    assert witness.add(asked(grown(ledger), ledger.sealed)).name == NAME


def test_a_proof_that_proves_nothing_is_refused(witness, ledger):
    assert refused(witness, Request(0, (digest("x"),), ledger.note())) == 422
    witness.add(asked(ledger))
    more = grown(ledger)
    proof = path(more, ledger.sealed)
    assert refused(witness, Request(ledger.sealed, proof[:-1], more.note())) == 422
    assert refused(witness, Request(ledger.sealed, (*proof, digest("x")), more.note())) == 422
    assert refused(witness, Request(ledger.sealed + 99, proof, more.note())) == 400


def test_only_logs_that_it_knows_are_cosigned(witness, ledger):
    assert refused(witness, asked(small_ledger())) == 403
    assert refused(witness, asked(ledger, key=Ed25519PrivateKey.generate())) == 403
    assert refused(witness, asked(ledger, origin="example.com/log")) == 404


@pytest.mark.parametrize(
    "text",
    [
        "",
        "old 0\n",
        "old 00\n\n{note}",
        "old -1\n\n{note}",
        "new 0\n\n{note}",
        "old 0\nnot base64\n\n{note}",
        "old 0\nAAAA\n\n{note}",
        "old 0\n" + "A" * 43 + "=\n" * 64 + "\n{note}",
        "old 0\n\n",
        "old 0\n\nno note\n",
        "old 0\n\n{note}{note}",
    ],
)
def test_an_invalid_request_is_refused(ledger, text):
    with pytest.raises(Refusal) as refusal:
        parse_request(text.replace("{note}", ledger.note_text()))
    assert refusal.value.status == 400


def test_a_request_is_read_as_it_was_written(ledger):
    request = asked(grown(ledger), 3)
    assert len(request.proof) > 1
    assert parse_request(request.text) == request
    assert request.text.endswith("=\n")
    assert not request.text.endswith("\n\n")


# -- What it keeps.


def test_it_remembers_the_last_note_after_a_restart(tmp_path, ledger):
    other = ledger.copy()
    other.leaves[0] = other.leaves[0]._replace(hash=digest("another row"))
    with opened(tmp_path / "w", ledger) as witness:
        witness.add(asked(ledger))
        key = witness.verifier_key
    with opened(tmp_path / "w", ledger) as witness:
        assert witness.verifier_key == key
        assert refused(witness, asked(other)) == 409
    assert stat.S_IMODE((tmp_path / "w" / store.KEY_FILE).stat().st_mode) == 0o600


def test_nothing_is_cosigned_that_cannot_be_kept(witness, ledger, monkeypatch):
    def full(*_):
        raise OSError("No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space left"):
            witness.add(asked(ledger))
    assert refused(witness, asked(ledger, 2)) == 409
    assert witness.add(asked(ledger)).name == NAME


def test_a_witness_without_its_key_or_with_a_damaged_note_does_not_work(tmp_path, ledger):
    with opened(tmp_path / "w", ledger) as witness:
        witness.add(asked(ledger))
        (file,) = (tmp_path / "w" / "notes").iterdir()
        file.write_text("no note")
        with pytest.raises(store.Unusable, match="is damaged"):
            witness.add(asked(ledger))
    (tmp_path / "w" / store.KEY_FILE).unlink()
    with pytest.raises(store.Unusable, match="Restore it"), opened(tmp_path / "w", ledger):
        pass


def test_two_witnesses_do_not_share_a_directory(tmp_path, witness, ledger):
    with pytest.raises(store.Unusable, match="Another witness uses"), opened(tmp_path / "w1", ledger):
        pass


def test_of_two_histories_at_once_one_is_cosigned(witness, ledger):
    witness.add(asked(ledger))
    forks = [grown(ledger, "a"), grown(ledger, "b")]
    forks[0].leaves[-1] = forks[0].leaves[-1]._replace(hash=digest("another row"))
    answers = []
    start = threading.Barrier(len(forks))

    def ask(fork):
        start.wait(timeout=60)
        try:
            answers.append(witness.add(asked(fork, ledger.sealed)).name)
        except Refusal as refusal:
            answers.append(refusal.status)

    threads = [threading.Thread(target=ask, args=(fork,)) for fork in forks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(map(str, answers)) == ["409", NAME]


# -- Its server.


@pytest.fixture
def address(tmp_path, ledger):
    with (
        closing(store.Store(tmp_path / "served")) as kept,
        server.Server(("127.0.0.1", 0), Witness(kept, NAME, [ledger.public()]), kept) as running,
    ):
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield "127.0.0.1", running.server_port
        running.shutdown()
        thread.join()


def exchanged(address, method, target, body=None, headers=None):
    host, port = address
    connection = http.client.HTTPConnection(host, port, timeout=30)
    try:
        connection.request(method, target, body=body, headers=headers or {})
        response = connection.getresponse()
        return response.status, response.getheader("Content-Type"), response.read().decode()
    finally:
        connection.close()


def test_it_is_asked_over_http(address, ledger):
    status, _, text = exchanged(address, "POST", "/add-checkpoint", asked(ledger).text.encode())
    assert status == 200
    (line,) = parse_signature_lines(text)
    assert line.name == NAME

    more = asked(grown(ledger))
    answer = exchanged(address, "POST", "/add-checkpoint", more.text.encode())
    assert answer == (409, "text/x.tlog.size", f"{ledger.sealed}\n")
    assert exchanged(address, "POST", "/add-checkpoint", b"\xff")[0] == 400
    assert exchanged(address, "POST", "/add-checkpoint", asked(small_ledger()).text.encode())[0] == 403

    origin = sha256(ledger.note().tree_head.origin.encode()).hexdigest()
    status, _, text = exchanged(address, "GET", f"/notes/{origin}")
    assert (status, [note.tree_head for note in parse_notes(text)]) == (200, [ledger.note().tree_head])


def test_everything_else_is_refused_over_http(address, ledger):
    assert exchanged(address, "GET", "/")[0] == 404
    assert exchanged(address, "GET", "/notes/../witness.key")[0] == 404
    assert exchanged(address, "GET", "/notes/" + "0" * 64)[0] == 404
    assert exchanged(address, "POST", "/elsewhere", b"")[0] == 404
    assert exchanged(address, "PUT", "/add-checkpoint", b"")[0] == 501
    large = str(server.MAX_BYTES + 1)
    assert exchanged(address, "POST", "/add-checkpoint", headers={"Content-Length": large})[0] == 413
    assert exchanged(address, "POST", "/add-checkpoint", headers={"Transfer-Encoding": "chunked"})[0] == 411


def test_a_request_that_never_ends_is_ended(address, ledger, monkeypatch):
    monkeypatch.setattr(server, "MAX_DURATION", 0.2)
    with socket.create_connection(address, timeout=60) as connection:
        connection.sendall(b"POST /add-checkpoint HTTP/1.1\r\nHost: witness\r\nContent-Length: 100\r\n\r\nold 0")
        answer = b""
        while part := connection.recv(4096):
            answer += part
    assert b"200" not in answer
    assert exchanged(address, "POST", "/add-checkpoint", asked(ledger).text.encode())[0] == 200


# -- Counting cosignatures.


@pytest.fixture
def two(tmp_path, ledger):
    with (
        opened(tmp_path / "one", ledger, name="one.example.com") as one,
        opened(tmp_path / "two", ledger, name="two.example.com") as two,
    ):
        yield one, two


def quorum(*witnesses, needed=None):
    return Quorum.of([str(witness.verifier_key) for witness in witnesses], needed)


def found(ledger, notes, needs):
    report = ledger.verifier().finish(notes, needs)
    return [(finding.kind.value, finding.detail) for finding in report.findings]


def test_a_quorum_has_the_given_keys_and_number(two, ledger):
    note = cosigned(ledger.note(), (two[0], asked(ledger)))
    assert found(ledger, [note], quorum(*two, needed=1)) == []
    ((kind, detail),) = found(ledger, [note], quorum(*two))
    assert (kind, "1 of 2 needed witnesses" in detail, "one.example.com" in detail) == ("not witnessed", True, True)

    both = cosigned(note, (two[1], asked(ledger)))
    assert found(ledger, [both], quorum(*two)) == []
    # the cosignatures may be on copies of one note
    other = cosigned(ledger.note(), (two[1], Request(ledger.sealed, (), ledger.note())))
    assert found(ledger, [note, other], quorum(*two)) == []


def test_the_newest_tree_head_counts(two, ledger):
    note = cosigned(ledger.note(), *((one, asked(ledger)) for one in two))
    more = grown(ledger)
    ((kind, detail),) = found(more, [note, more.note()], quorum(*two))
    assert kind == "not witnessed"
    assert f"the first {ledger.sealed} rows" in detail
    assert found(more, [], quorum(*two))[0][0] == "not witnessed"


def test_two_witnesses_that_saw_different_histories_are_found(two, ledger):
    other = ledger.copy()
    other.leaves[-1] = other.leaves[-1]._replace(hash=digest("another row"))
    shown = cosigned(ledger.note(), (two[0], asked(ledger)))
    hidden = cosigned(other.note(), (two[1], asked(other)))

    for history, own, others in ((ledger, shown, hidden), (other, hidden, shown)):
        kinds = [kind for kind, _ in found(history, [own, others], quorum(*two, needed=1))]
        assert "split view" in kinds
        # who has one history alone lacks a witness
        assert "not witnessed" in [kind for kind, _ in found(history, [own], quorum(*two))]
    # and neither witness comes to cosign the other history
    assert refused(two[1], Request(ledger.sealed, (), ledger.note())) == 409


def test_suture_verify_counts_witnesses(tmp_path, two, ledger):
    export, kept = tmp_path / "ledger.jsonl", tmp_path / "kept.txt"
    export.write_bytes(ledger.export())
    kept.write_text(cosigned(ledger.note(), (two[0], asked(ledger))).text)
    keys = [part for one in two for part in ("--witness", str(one.verifier_key))]

    def run(*arguments):
        return CliRunner().invoke(main, ["export", str(export), "--trusted-tree-head", str(kept), *arguments])

    assert run(*keys, "--witnesses-needed", "1").exit_code == 0
    done = run(*keys)
    assert (done.exit_code, "not witnessed" in done.output) == (1, True)
    for wrong in (["--witness", "no key"], ["--witnesses-needed", "1"], [*keys, "--witnesses-needed", "3"]):
        assert run(*wrong).exit_code == 2


def test_the_command_shows_the_key_of_a_witness(tmp_path):
    arguments = ["witness", "--name", NAME, "--home", str(tmp_path / "w"), "--show-key"]
    first, second = (CliRunner().invoke(main, arguments) for _ in range(2))
    assert first.output == second.output
    assert parse_key(first.output).name == NAME
    assert CliRunner().invoke(main, arguments[:-1]).exit_code == 2
    assert CliRunner().invoke(main, [*arguments[:-1], "--log", "no key"]).exit_code == 2


@pytest.mark.parametrize(
    "spoil",
    [
        lambda text: text.replace("+", " "),
        lambda text: "another" + text,
        lambda text: text[:-4],
        lambda text: text.rsplit("+", 1)[0],
        lambda text: "a+b+!!!!",
        str.swapcase,
    ],
)
def test_a_damaged_key_is_refused(witness, spoil):
    text = str(witness.verifier_key)
    assert parse_key(text) == witness.verifier_key
    with pytest.raises(MalformedKey):
        parse_key(spoil(text))


def test_a_key_for_notes_is_refused_for_cosignatures(ledger):
    key = VerifierKey("suture", ledger.public(), 0x01)
    assert parse_key(str(key), 0x01) == key
    with pytest.raises(MalformedKey, match="not an Ed25519 key for cosignatures"):
        parse_key(str(key))
