"""Rows that somebody puts into the database past the server, and receipts that somebody forges, changes or deletes."""

import json
from collections.abc import Callable

from governance.ledger import sealed_kinds, sealing
from tests.tamperings.commands import Command
from tests.tamperings.state import FORGED_VERDICT
from tests.tamperings.tampering import Change, Class, Copy, Finds, Tampering, insert_copy, sql

CHAIN, EFFECTIVE, CHECK = Command.VERIFY_CHAIN, Command.VERIFY_EFFECTIVE, Command.CHECK_LEDGER


def _inserted(table: str, name: str, **columns: str) -> Change:
    """Insert a copy of a row, with an id of its own, and what else is unique."""
    statement = (
        f"INSERT INTO {table} SELECT (jsonb_populate_record(x,"
        f" jsonb_build_object('id', %(forged)s) || %(columns)s::jsonb)).* FROM {table} x WHERE id = %({name})s"
    )
    return sql(statement, columns=json.dumps(columns))


def _forged(kind: str, name: str = "", seen: Finds = (), **columns: str) -> Tampering:
    """A row of a sealed table that no receipt names; `seen` is what readers see of it."""
    (table,) = [one.table for one in sealed_kinds.kinds() if one.name == kind]
    row = f"row without receipt: rows: the {kind} {{forged}} is in {table}, but the server signed no receipt for it"
    found: dict[Command, Finds] = {CHAIN: [(row, f"({table} {{forged}})")]}
    does = _inserted(table, name or kind, **columns)
    return Tampering(Class.RECEIPTS, f"a forged {kind}", does, found | ({EFFECTIVE: seen} if seen else {}))


def _changed(name: str, assignment: str) -> Tampering:
    """A receipt whose signature does not fit it, so that it vouches for nothing."""
    does = sql(f"UPDATE governance_receipt SET {assignment} WHERE id = %(receipt)s")
    unsigned = "row without receipt: rows: the receipt {receipt} is not signed by a key of the governance chain"
    return Tampering(Class.RECEIPTS, name, does, {CHAIN: [(unsigned, "(governance_receipt {receipt}"), *_UNVOUCHED]})


def _recorded(*statements: str, seals: bool = False) -> Callable[[Copy], None]:
    """Record an event, change what the database has of it before it is sealed, and let it be sealed."""

    def run(copy: Copy) -> None:
        made = copy.world.event("Jack comes home")
        copy.facts.update(new_event=made["event_id"], new_chunk=made["chunk_ids"][0])
        for statement in statements:
            sql(statement)(copy)
        if seals:
            sealing.seal_all(copy.world.tenant_id)

    return run


_UNVOUCHED = [
    f"row without receipt: leaves at {{{name}_at}}: the {name} {{{name}}} is sealed, but the server signed no receipt"
    for name in ("event", "chunk")
]

TAMPERINGS = [
    _forged("event"),
    _forged("chunk", "summary", ["chunk {forged}: missing"]),
    _forged("edit", "approved", ["edit {forged}: no entry of the ledger proposes it"]),
    Tampering(
        Class.RECEIPTS,
        "a forged verdict",
        sql(FORGED_VERDICT),
        {
            CHAIN: [
                "row without receipt: rows: the verdict {forged} is in governance_verdict, but the server signed",
                "governance_verdict {forged}: no entry of the ledger names this verdict (approved) on edit {pending}",
            ],
            EFFECTIVE: ["edit {pending}: governance_verdict {forged}: no entry of the ledger names this verdict"],
        },
    ),
    _forged("capsule", "capsule", ["capsule {forged}: missing"]),
    _forged("access"),
    _forged("task"),
    _forged("artifact"),
    _forged("decision", "decision", ["decision {forged}: missing"]),
    _forged("delivery", "delivery", [("usage ", ": accesses")]),
    _forged("relation"),
    _forged("value"),
    _forged("audience", number="77", digest="\\x77"),
    _forged("relation_tuple"),
    Tampering(
        Class.RECEIPTS,
        "a forged relation_revocation",
        sql(
            insert_copy(
                "governance_relationrevocation", "relation_revocation", id="%(forged)s", tuple_id="%(relation_tuple)s"
            )
        ),
        {CHAIN: [("row without receipt: rows: the relation_revocation {forged} is in", "{forged}")]},
    ),
    Tampering(
        Class.RECEIPTS,
        "a forged receipt of a forged event",
        sql(
            "INSERT INTO memory_event SELECT (jsonb_populate_record(x, jsonb_build_object('id', %(forged)s))).*"
            " FROM memory_event x WHERE id = %(event)s;"
            " INSERT INTO governance_receipt SELECT (jsonb_populate_record(r, jsonb_build_object('id', %(other)s,"
            " 'row_ids', ARRAY[%(forged)s]))).* FROM governance_receipt r WHERE id = %(receipt)s;"
            " INSERT INTO governance_unsealedreceipt (tenant_id, id) VALUES (%(tenant)s, %(other)s)",
            other="00000000-0000-7000-8000-00000000000e",
        ),
        {
            CHAIN: [
                "row without receipt: rows: the receipt 00000000-0000-7000-8000-00000000000e is not signed by a key",
                "row without receipt: rows: the event {forged} is in memory_event, but the server signed no receipt",
            ]
        },
    ),
    Tampering(
        Class.RECEIPTS,
        "a receipt of other rows",
        sql("UPDATE governance_receipt SET row_ids[1] = %(forged)s WHERE id = %(receipt)s"),
        {
            CHAIN: [
                (
                    "row without receipt: rows: the receipt {receipt} names the event {forged}, but leaf"
                    " {event_at} is the event {event}",
                    "(governance_receipt {receipt} row_ids)",
                )
            ]
        },
    ),
    _changed("a receipt of other hashes", "hashes = set_bit(hashes, 3, 1 - get_bit(hashes, 3))"),
    _changed("a receipt of another time", "at = at - interval '1 hour'"),
    _changed("a receipt with another signature", "signature = set_bit(signature, 3, 1 - get_bit(signature, 3))"),
    _changed("a receipt with another key", "public_key = sha256('another')"),
    Tampering(
        Class.RECEIPTS,
        "a deleted receipt",
        sql("DELETE FROM governance_receipt WHERE id = %(receipt)s"),
        {CHAIN: _UNVOUCHED},
    ),
    Tampering(
        Class.RECEIPTS,
        "an event that is changed before its seal",
        _recorded("UPDATE memory_event SET actor_id = 'mallory' WHERE id = %(new_event)s", seals=True),
        {CHAIN: ["the event {new_event} is not what was sealed (event {new_event})"]},
    ),
    Tampering(
        Class.RECEIPTS,
        "a receipt of which no seal knows",
        _recorded("DELETE FROM governance_unsealedreceipt WHERE tenant_id = %(tenant)s"),
        {
            CHAIN: [
                (
                    "content missing without redaction: rows: the receipt ",
                    "promises the event {new_event}, but no leaf has its hash (memory_event {new_event})",
                )
            ]
        },
    ),
    Tampering(
        Class.RECEIPTS,
        "an event that is deleted before its seal, and its receipt is not",
        _recorded(
            "DELETE FROM memory_effectivechunk WHERE id = %(new_chunk)s;"
            " DELETE FROM memory_chunk WHERE id = %(new_chunk)s;"
            " DELETE FROM memory_event WHERE id = %(new_event)s;"
            " DELETE FROM governance_unsealedreceipt WHERE tenant_id = %(tenant)s"
        ),
        {
            CHAIN: [
                (
                    "content missing without redaction: rows: the receipt ",
                    "promises the event {new_event}, but no leaf has its hash (memory_event {new_event})",
                )
            ]
        },
    ),
]
