"""Receipts: what a transaction records is signed by the server, and nothing else is sealed."""

import json
import uuid
from dataclasses import replace
from typing import Any

import pytest
from click.testing import CliRunner
from django.db import connections

from governance import tasks
from governance.acting import gate
from governance.ledger import access, sealed_kinds, sealing, verification
from governance.models import AccessRecord, MerkleTree, Receipt, UnsealedReceipt, new_id
from suture_verify.cli import main
from suture_verify.findings import Finding, Kind
from suture_verify.receipts import MalformedReceipt, ReceiptRow
from suture_verify.receipts import Receipt as Promise
from tests.erasure.conftest import admins_of
from tests.ledger.breaking import broken_everywhere
from tests.ledger.tampering import exported, leaves, lived_in, tamper, unguarded
from tests.world import World

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])

#: What is unique in a row of a kind, besides its id.
UNIQUE = {
    "agent_memory": {"seq": "1000000"},
    "capture_removal": {"chunk_id": str(uuid.UUID(int=1))},
    "checkpoint": {"turn": "1000000", "number": "1000000", "path": "forged"},
    "checkpoint_removal": {"checkpoint_id": str(uuid.UUID(int=1))},
    "confidence_change": {"number": "1000000"},
    "promotion": {"number": "1000000"},
    "operation_done": {"operation_id": "forged"},
    "outcome": {"session_id": "forged"},
    "file_version": {"number": "1000000"},
    "audience": {"number": "1000000", "digest": "\\x00"},
    "capsule_item": {"position": "1000000", "item_id": str(uuid.UUID(int=1))},
}

ASKED = {"X-Receipt": "yes"}


def recorded(world: World, text: str = "The quick brown fox", **headers: str) -> dict[str, Any]:
    """The answer to an event that asks for its receipt."""
    answer: dict[str, Any] = world.alice.ok("post", "events", world.draft(text), **{**ASKED, **headers})
    return answer


def receipts(world: World) -> list[Receipt]:
    with world.inside("owner"):
        return list(Receipt.objects.using("owner").filter(tenant_id=world.tenant_id).order_by("id"))


def alarm(world: World) -> str | None:
    with world.inside():
        return MerkleTree.objects.get(tenant_id=world.tenant_id).alarm


def by_owner(sql: str, *params: Any) -> None:
    """Run one statement as the owner of the tables, which must change something."""
    with connections["owner"].cursor() as cursor:
        cursor.execute(sql, params)
        assert cursor.rowcount > 0, sql


def forged_event(world: World) -> uuid.UUID:
    """A copy of alice's last event, with an id of its own, that the owner of the tables inserts."""
    forged = new_id()
    by_owner(
        "INSERT INTO memory_event SELECT (jsonb_populate_record(e, jsonb_build_object('id', %s::text))).*"
        " FROM memory_event e WHERE tenant_id = %s ORDER BY id DESC LIMIT 1",
        forged,
        world.tenant_id,
    )
    return forged


def findings(world: World) -> tuple[Finding, ...]:
    return verification.verify(world.tenant_id).findings


def sweep_next(world: World) -> None:
    """Let the next seal look through all rows."""
    by_owner("UPDATE governance_merkletree SET swept_at = NULL WHERE tenant_id = %s", world.tenant_id)


def test_an_answer_has_the_receipt_of_what_was_recorded_if_it_is_asked_for(world):
    answer = recorded(world)

    receipt = Promise.parse(answer)
    assert receipt.is_signed
    assert receipt.tenant == world.tenant_id
    assert {(row.kind, str(row.id)) for row in receipt.rows} == {
        ("event", answer["event_id"]), *(("chunk", chunk) for chunk in answer["chunk_ids"])
    }  # fmt: skip
    assert "receipt" not in world.alice.ok("post", "events", world.draft("Another"))


def test_a_retry_gets_the_same_receipt(world):
    once = {"Idempotency-Key": "once"}
    assert recorded(world, **once) == recorded(world, **once)
    assert len(receipts(world)) == 1


def test_every_sealed_row_has_the_leaf_hash_that_its_receipt_promised(world):
    lived_in(world)

    promised: dict[uuid.UUID, bytes] = {}
    for receipt in receipts(world):
        hashes = bytes(receipt.hashes)
        promised |= {row: hashes[32 * n : 32 * n + 32] for n, row in enumerate(receipt.row_ids)}
    assert {leaf.row_id: bytes(leaf.hash) for leaf in leaves(world)} == promised
    assert {kind for receipt in receipts(world) for kind in receipt.kinds} == {
        kind.name for kind in sealed_kinds.kinds()
    }
    assert verification.verify(world.tenant_id).ok


def test_a_row_that_goes_past_the_server_is_not_sealed_and_raises_an_alarm(world):
    world.event("Genuine")
    tasks.seal()
    forged = forged_event(world)
    world.event("Genuine too")
    sweep_next(world)

    tasks.seal()

    assert f"The event {forged} has no receipt" in (alarm(world) or "")
    assert forged not in {leaf.row_id for leaf in leaves(world)}
    assert len(leaves(world)) == 4  # the others are
    tasks.seal()
    assert str(forged) in (alarm(world) or "")
    found = findings(world)
    assert [(finding.kind, finding.row and finding.row.id) for finding in found] == [(Kind.NO_RECEIPT, str(forged))]


def test_every_kind_of_row_without_a_receipt_is_found(world):
    lived_in(world)
    forged = {}
    for kind in sealed_kinds.kinds():
        forged[kind.name] = str(new_id())
        fields = {"id": forged[kind.name]}
        fields |= UNIQUE.get(kind.name, {})
        if kind.name == "capsule_audience":
            fields["capsule_id"] = forged["capsule"]
        if kind.name == "relation_revocation":
            fields["tuple_id"] = forged["relation_tuple"]
        by_owner(
            f"INSERT INTO {kind.table} SELECT (jsonb_populate_record(x, %s::jsonb)).*"  # our own names
            f" FROM {kind.table} x WHERE tenant_id = %s ORDER BY id DESC LIMIT 1",
            json.dumps(fields),
            world.tenant_id,
        )

    sweep_next(world)
    with pytest.raises(sealing.UnreceiptedRow):
        sealing.seal_all(world.tenant_id)

    found = {finding.row.id for finding in findings(world) if finding.kind == Kind.NO_RECEIPT and finding.row}
    assert set(forged.values()) <= found


def test_a_forged_receipt_is_no_receipt(world):
    world.event("Genuine")
    tasks.seal()
    forged, receipt = forged_event(world), new_id()
    by_owner(
        "INSERT INTO governance_receipt SELECT (jsonb_populate_record(r, jsonb_build_object('id', %s::text,"
        " 'row_ids', ARRAY[%s::text]))).* FROM governance_receipt r WHERE tenant_id = %s LIMIT 1",
        receipt,
        forged,
        world.tenant_id,
    )
    by_owner("INSERT INTO governance_unsealedreceipt (tenant_id, id) VALUES (%s, %s)", world.tenant_id, receipt)

    tasks.seal()

    assert f"The receipt {receipt} is not signed" in (alarm(world) or "")
    assert forged not in {leaf.row_id for leaf in leaves(world)}
    assert {(finding.kind, finding.row and finding.row.id) for finding in findings(world)} == {
        (Kind.NO_RECEIPT, str(receipt)),
        (Kind.NO_RECEIPT, str(forged)),
    }


def test_a_row_that_is_changed_before_its_seal_does_not_match_its_leaf(world):
    answer = recorded(world)
    tamper("memory_event", "UPDATE memory_event SET actor_id = 'mallory' WHERE id = %s", answer["event_id"])

    tasks.seal()

    assert "was changed after" in (alarm(world) or "")
    assert Kind.CONTENT_MISMATCH in {finding.kind for finding in findings(world)}


def test_a_leaf_that_is_taken_away_with_its_row_breaks_the_promise(world):
    answer = recorded(world)
    with unguarded("memory_chunk", "memory_event") as cursor:
        for table in ("memory_effectivechunk", "memory_chunk", "memory_event", "governance_unsealedreceipt"):
            cursor.execute(f"DELETE FROM {table} WHERE tenant_id = %s", [world.tenant_id])  # as above

    broken = [finding for finding in findings(world) if finding.kind == Kind.CONTENT_MISSING]
    assert {finding.row.id for finding in broken if finding.row} == {answer["event_id"], *answer["chunk_ids"]}


def test_killed_after_any_statement_rows_and_receipt_are_both_there_or_neither(world):
    def check():
        with world.inside():
            rows = AccessRecord.objects.filter(tenant_id=world.tenant_id).count()
        assert rows == sum(len(receipt.row_ids) for receipt in receipts(world))
        with world.inside("owner"):
            waiting = UnsealedReceipt.objects.using("owner").filter(tenant_id=world.tenant_id).count()
        assert waiting == len(receipts(world))

    def read():
        with gate.acting_as(world.bob_principal):
            access.log("test", actor=world.bob_principal, target_type="test")

    assert broken_everywhere(read, check) >= 3


# -- Offline.


def verify_receipt(tmp_path, receipt, ledger, *options):
    (tmp_path / "receipt.json").write_text(json.dumps(receipt))
    (tmp_path / "ledger.jsonl").write_text(ledger)
    return CliRunner().invoke(
        main, ["receipt", str(tmp_path / "receipt.json"), str(tmp_path / "ledger.jsonl"), *options]
    )


def test_a_receipt_proves_offline_that_the_ledger_kept_its_promise(world, tmp_path):
    answer = recorded(world)
    tasks.seal()

    result = verify_receipt(tmp_path, answer, exported(world).decode())

    assert result.exit_code == 0, result.output
    assert "it has all 2 rows, as leaves 0 to 1" in result.output.replace("\n", " ")


def test_a_receipt_of_what_is_not_sealed_yet_is_not_kept_yet(world, tmp_path):
    before = exported(world).decode()
    answer = recorded(world)

    result = verify_receipt(tmp_path, answer, before)

    assert result.exit_code == 1
    assert "before the receipt was signed" in result.output.replace("\n", " ")


def test_an_erasure_touches_no_receipt(world, tmp_path):
    answer = recorded(world)
    tasks.seal()
    admins_of(world).erase(by="event", id=answer["event_id"])
    tasks.seal()

    assert findings(world) == ()
    result = verify_receipt(tmp_path, answer, exported(world).decode())
    assert result.exit_code == 0, result.output


def test_a_receipt_of_another_ledger_a_changed_one_and_a_forged_one_are_not_kept(world, elsewhere, tmp_path):
    answer = recorded(world)
    tasks.seal()
    ledger = exported(world).decode()
    receipt = answer["receipt"]
    of_elsewhere = elsewhere.alice.ok("post", "events", elsewhere.draft("Fox"), **ASKED)
    changed = {**receipt, "rows": [{**receipt["rows"][0], "id": str(new_id())}, *receipt["rows"][1:]]}
    with_other_hash = {**receipt, "rows": [{**receipt["rows"][0], "leaf_hash": "0" * 64}, *receipt["rows"][1:]]}
    for wrong, why in (
        (of_elsewhere, "it belongs to the tenant"),
        (changed, "is not in the sealed ledger"),
        (with_other_hash, "its signature does not match"),
    ):
        result = verify_receipt(tmp_path, wrong, ledger)
        assert result.exit_code == 1, result.output
        assert why in result.output.replace("\n", " ")


@pytest.mark.parametrize(
    "value",
    [
        None, [], {}, {"receipt": 1}, {"tenant": "x"},
        {"tenant": str(uuid.UUID(int=1)), "id": "x", "at": "2026-01-01T00:00:00+00:00", "rows": [],
         "public_key": "0" * 64, "signature": "0" * 128},
        {"tenant": str(uuid.UUID(int=1)), "id": str(uuid.UUID(int=1)), "at": "2026-01-01T00:00:00", "rows": [],
         "public_key": "0" * 64, "signature": "0" * 128},
        {"tenant": str(uuid.UUID(int=1)), "id": str(uuid.UUID(int=1)), "at": "2026-01-01T00:00:00+00:00",
         "rows": [{"kind": "event"}], "public_key": "0" * 64, "signature": "0" * 128},
    ],
)  # fmt: skip
def test_what_is_no_receipt_is_refused(value):
    with pytest.raises(MalformedReceipt):
        Promise.parse(value)


def test_a_receipt_reads_back_as_it_was_written(world):
    receipt = Promise.parse(recorded(world))
    assert Promise.parse(receipt.as_json()) == receipt
    other = replace(receipt, rows=[*receipt.rows, ReceiptRow("event", new_id(), bytes(32))])
    assert not other.is_signed
