"""The five tamperings of the literature (edit, delete, reorder, insert, truncate), with entries and seals."""

import json
from collections.abc import Callable
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from tests.ledger import tampering as owner
from tests.ledger.tampering import FLIP, entries
from tests.tamperings.commands import Command
from tests.tamperings.tampering import Change, Class, Copy, Tampering, insert_copy, sql, swapped

CHAIN, EFFECTIVE = Command.VERIFY_CHAIN, Command.VERIFY_EFFECTIVE
CHECK, OFFLINE = Command.CHECK_LEDGER, Command.OFFLINE


def _entry(assignment: str, seq: str = "approval") -> Change:
    return sql(f"UPDATE governance_entry SET {assignment} WHERE chain_id = %(chain_id)s AND seq = %({seq})s")


def _says(**said: Any) -> Change:
    """Let the entry of the approval say something else, with the hash of that."""

    def run(copy: Copy) -> None:
        seq = copy.facts["approval"]
        fields = json.loads(bytes(entries(copy.world)[seq].canonical))
        fields["metadata"] |= said
        canonical = json.dumps(fields, separators=(",", ":"), sort_keys=True).encode()
        owner.change_entry(copy.world, seq, "canonical = %s, hash = sha256(%s)", canonical, canonical)

    return Change(run, frozenset({"chain_id", "approval"}))


def rewritten(key: Ed25519PrivateKey | None = None) -> Callable[[Copy], None]:
    """Let the entry of the approval say something else, and sign it and all behind it again: with the server's own key,
    where none is given."""

    def run(copy: Copy) -> None:
        seq = copy.facts["approval"]
        said = json.loads(bytes(entries(copy.world)[seq].canonical))["metadata"]
        owner.rewrite(copy.world, seq, key, metadata=said | {"reason": "Never agreed"})

    return run


def _appended(key: Ed25519PrivateKey | None) -> Callable[[Copy], None]:
    """Append an entry behind the last one, with a head that fits: signed with a key, or with nothing."""

    def run(copy: Copy) -> None:
        last = entries(copy.world)[-1]
        said = json.loads(bytes(last.canonical)) | {"seq": last.seq + 1, "prev_hash": bytes(last.hash).hex()}
        said["ts"] = said["ts"].replace("20", "21", 1)
        canonical = json.dumps(said, separators=(",", ":"), sort_keys=True).encode()
        columns = {
            "id": "gen_random_uuid()", "seq": "seq + 1", "prev_hash": "hash", "canonical": "%(canonical)s",
            "hash": "sha256(%(canonical)s)", "signature": "%(signature)s", "ts": "%(ts)s",
        }  # fmt: skip
        sql(
            insert_copy("governance_entry", "last_id", **columns)
            + "UPDATE governance_chain SET seq = seq + 1, head = sha256(%(canonical)s) WHERE id = %(chain_id)s",
            last_id=last.id,
            canonical=canonical,
            signature=key.sign(canonical) if key else bytes(64),
            ts=said["ts"],
        )(copy)

    return run


_COLUMNS = "the columns of this entry differ from what was signed"
_UNSIGNED = "signature: governance at {approval}: the current key did not sign it"
_NOT_LINKED = "link: governance at {after_approval}: its prev_hash is not the hash of the entry before it"
_OTHER_HASH = "link: governance at {approval}: its hash is not the hash of its bytes"
_OTHER_END = (
    "{slug}: The database has a different entry {last} of the governance chain, which the last published tree head"
)
_NO_END = "{slug}: The database has no entry {last} of the governance chain, which the last published tree head covers"
_PENDING = "edit {approved}: status is approved, but the ledger proves pending"
_GAP = "gap: governance at {approval}: missing: {approval}"

EDITS = [
    Tampering(
        Class.EDIT,
        "a column of an entry",
        _entry('metadata = metadata || \'{"reason": "Never agreed"}\''),
        {CHAIN: [f"content mismatch: governance at {{approval}}: {_COLUMNS}"]},
    ),
    Tampering(
        Class.EDIT,
        "the type of an entry",
        _entry("type = 'edit.rejected'"),
        {CHAIN: [f"content mismatch: governance at {{approval}}: {_COLUMNS}"]},
    ),
    Tampering(
        Class.EDIT,
        "the time of an entry",
        _entry("ts = ts - interval '1 hour'"),
        {CHAIN: [f"content mismatch: governance at {{approval}}: {_COLUMNS}"]},
    ),
    Tampering(
        Class.EDIT,
        "the signed text of an entry",
        _entry("canonical = replace(encode(canonical, 'escape'), 'Agreed', 'Refused')::bytea"),
        {CHAIN: [_OTHER_HASH], OFFLINE: [_OTHER_HASH]},
    ),
    Tampering(
        Class.EDIT,
        "the signed text of an entry with its hash",
        _says(reason="Never agreed"),
        {CHAIN: [_UNSIGNED, _NOT_LINKED], OFFLINE: [_UNSIGNED, _NOT_LINKED]},
    ),
    Tampering(
        Class.EDIT,
        "the hash of an entry",
        _entry(FLIP.format("hash", 3)),
        {CHAIN: [_OTHER_HASH, _NOT_LINKED], OFFLINE: [_OTHER_HASH, _NOT_LINKED]},
    ),
    Tampering(
        Class.EDIT,
        "the signature of an entry",
        _entry(FLIP.format("signature", 3)),
        {CHAIN: [_UNSIGNED], OFFLINE: [_UNSIGNED]},
    ),
    Tampering(
        Class.EDIT,
        "an entry, with all behind it signed again with another key",
        rewritten(Ed25519PrivateKey.generate()),
        {
            CHAIN: ["key: governance at {approval}: the current key did not sign it"],
            OFFLINE: ["key: governance at {approval}: the current key did not sign it"],
            CHECK: [_OTHER_END],
        },
    ),
    Tampering(
        Class.EDIT,
        "an entry, with all behind it signed again with the server's key",
        rewritten(),
        {
            CHAIN: ["split view: governance at {last}: the entry is not the one that the tree head names"],
            OFFLINE: ["split view: governance at {last}: the entry is not the one that the tree head names"],
            CHECK: [_OTHER_END],
        },
    ),
    Tampering(
        Class.EDIT,
        "an entry of an agent's chain",
        sql(
            "UPDATE governance_entry SET canonical = canonical || ' '::bytea"
            " WHERE chain_id = %(agent_chain_id)s AND seq = %(agent_last)s"
        ),
        {
            CHAIN: ["link: agent:alice at {agent_last}: its hash is not the hash of its bytes"],
            OFFLINE: ["link: agent:alice at {agent_last}: its hash is not the hash of its bytes"],
        },
    ),
    Tampering(
        Class.EDIT,
        "a column of a seal",
        _entry('metadata = metadata || \'{"root": "00"}\'', "seal"),
        {CHAIN: [f"content mismatch: governance at {{seal}}: {_COLUMNS}"]},
    ),
    Tampering(
        Class.EDIT,
        "the head of a chain",
        sql("UPDATE governance_chain SET head = sha256('') WHERE id = %(chain_id)s"),
        {
            CHAIN: ["link: governance at {last}: it is not the entry that is the head of the chain"],
            CHECK: [
                "{slug}: ALARM: sealing and publishing stopped: Entry {last} of the governance chain is not its last"
            ],
        },
    ),
]

DELETIONS = [
    Tampering(
        Class.DELETE,
        "an entry",
        sql("DELETE FROM governance_entry WHERE chain_id = %(chain_id)s AND seq = %(approval)s"),
        {CHAIN: [_GAP, _PENDING.replace("edit ", "governance_editstate ", 1)], OFFLINE: [_GAP], EFFECTIVE: [_PENDING]},
    ),
    Tampering(
        Class.DELETE,
        "an approval with its verdict",
        sql(
            "DELETE FROM governance_entry WHERE chain_id = %(chain_id)s AND seq = %(approval)s;"
            " DELETE FROM governance_verdict WHERE id = %(approved_verdict)s"
        ),
        {
            CHAIN: [_GAP, "the verdict {approved_verdict} was sealed and is gone (verdict {approved_verdict})"],
            OFFLINE: [_GAP],
            EFFECTIVE: [_PENDING],
        },
    ),
    Tampering(
        Class.DELETE,
        "a seal",
        sql("DELETE FROM governance_entry WHERE chain_id = %(chain_id)s AND seq = %(seal)s"),
        {
            CHAIN: ["gap: governance at {seal}: missing: {seal}"],
            OFFLINE: ["gap: governance at {seal}: missing: {seal}"],
        },
    ),
    Tampering(
        Class.DELETE,
        "the chain of an agent",
        sql(
            "DELETE FROM governance_entry WHERE chain_id = %(agent_chain_id)s;"
            " DELETE FROM governance_chain WHERE id = %(agent_chain_id)s"
        ),
        {
            CHAIN: ["truncated: agent:alice at 0: the seal in governance entry {seal} names entry"],
            OFFLINE: ["truncated: agent:alice at 0: the seal in governance entry {seal} names entry"],
        },
    ),
]

_SWAPPED = [
    "gap: governance at {approval}: the signed text is entry {proposal}",
    "gap: governance at {proposal}: the signed text is entry {approval}",
]

ORDERS = [
    Tampering(
        Class.REORDER,
        "two entries",
        swapped("governance_entry", "seq", "chain_id = %(chain_id)s", "approval", "proposal"),
        {CHAIN: _SWAPPED, OFFLINE: _SWAPPED},
    ),
    Tampering(
        Class.REORDER,
        "two seals",
        swapped("governance_entry", "seq", "chain_id = %(chain_id)s", "seal", "last_seal"),
        {
            CHAIN: ["gap: governance at {seal}: the signed text is entry {last_seal}"],
            OFFLINE: ["gap: governance at {seal}: the signed text is entry {last_seal}"],
            CHECK: [_OTHER_END],
        },
    ),
]

_NEW_UNSIGNED = "signature: governance at {next}: the current key did not sign it"
_ALARM = "{slug}: ALARM: sealing and publishing stopped: Entry {next} of the governance chain is not signed by the key"

INSERTIONS = [
    Tampering(
        Class.INSERT,
        "an entry without a signature",
        _appended(None),
        {CHAIN: [_NEW_UNSIGNED], OFFLINE: [_NEW_UNSIGNED], CHECK: [_ALARM]},
    ),
    Tampering(
        Class.INSERT,
        "an entry that another key signed",
        _appended(Ed25519PrivateKey.generate()),
        {CHAIN: [_NEW_UNSIGNED], OFFLINE: [_NEW_UNSIGNED], CHECK: [_ALARM]},
    ),
    Tampering(
        Class.INSERT,
        "a copy of an entry behind the head of the chain",
        sql(
            insert_copy(
                "governance_entry",
                "approval_id",
                id="gen_random_uuid()",
                seq="%(next)s",
                prev_hash="sha256(hash)",
                hash="sha256(hash)",
            )
        ),
        {
            CHAIN: ["link: governance at {next}: its hash is not the hash of its bytes"],
            EFFECTIVE: ["edit {approved}: entry {next} decides it, but it was already approved"],
        },
    ),
    Tampering(
        Class.INSERT,
        "a chain of another agent",
        sql(insert_copy("governance_chain", "agent_chain_id", id="gen_random_uuid()", name="'agent:mallory'")),
        {
            CHAIN: ["truncated: agent:mallory at 0: entry {agent_last} is its head, and the chain ends before 0"],
            CHECK: [
                "{slug}: ALARM: sealing and publishing stopped: Entry {agent_last} of the agent:mallory chain is not"
            ],
        },
    ),
]

_CUT = "truncated: governance at {last}: a published tree head names entry {last}, and the chain ends before {last}"
_OLDER = "older than the tree head: governance at {last}: the tree head names entry {last}"
_AGENT_CUT = "truncated: agent:alice at {agent_last}: the seal in governance entry {published_before} names entry"


def _cut(copy: Copy) -> None:
    owner.cut(copy.world, copy.facts["published_before"])


def restored(copy: Copy) -> None:
    """Put the database back to what the last tree head but one covers."""
    _cut(copy)
    sql(
        "DELETE FROM governance_receipt WHERE id = %(last_receipt)s;"
        " DELETE FROM governance_leaf WHERE tenant_id = %(tenant)s AND position >= %(size_before)s;"
        " DELETE FROM memory_effectivechunk WHERE id = %(last_chunk)s;"
        " DELETE FROM memory_chunk WHERE id = %(last_chunk)s;"
        " DELETE FROM memory_event WHERE id = %(last_event)s;"
        " UPDATE governance_merkletree SET size = %(size_before)s, root = %(root_before)s WHERE tenant_id = %(tenant)s"
    )(copy)


TRUNCATIONS = [
    Tampering(
        Class.TRUNCATE,
        "the last entries",
        sql("DELETE FROM governance_entry WHERE chain_id = %(chain_id)s AND seq > %(published_before)s"),
        {
            CHAIN: [
                _CUT,
                "truncated: governance at {last}: entry {last} is its head, and the chain ends before {last}",
            ],
            OFFLINE: [_OLDER],
            CHECK: [_NO_END],
        },
    ),
    Tampering(
        Class.TRUNCATE,
        "the last entries with the head of the chain",
        _cut,
        {CHAIN: [_CUT], OFFLINE: [_OLDER], CHECK: [_NO_END]},
    ),
    Tampering(
        Class.TRUNCATE,
        "the end of an agent's chain",
        sql(
            "DELETE FROM governance_entry WHERE chain_id = %(agent_chain_id)s AND seq = %(agent_last)s;"
            " UPDATE governance_chain c SET seq = e.seq, head = e.hash, ts = e.ts FROM governance_entry e"
            " WHERE c.id = %(agent_chain_id)s AND e.chain_id = c.id AND e.seq = %(agent_last)s - 1"
        ),
        {
            CHAIN: [_AGENT_CUT],
            OFFLINE: [_AGENT_CUT],
            CHECK: [
                "{slug}: ALARM: sealing and publishing stopped: The published entry {agent_last} of the agent:alice"
            ],
        },
    ),
    Tampering(
        Class.TRUNCATE,
        "all that came after a seal, as in an older backup",
        restored,
        {CHAIN: [_CUT], OFFLINE: [_OLDER], CHECK: [_NO_END]},
    ),
]

TAMPERINGS = [*EDITS, *DELETIONS, *ORDERS, *INSERTIONS, *TRUNCATIONS]
