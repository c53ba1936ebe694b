"""What happens in the prepared tenant, and the names of what is there afterwards."""

from datetime import timedelta
from typing import Any

from django.db import connections
from django.utils import timezone

from governance import edits
from governance.ledger import published_tree_heads
from suture_verify.entries import SEAL
from suture_verify.notes import parse_notes
from tests.curation.agent import Agent
from tests.erasure.conftest import UNSTOPPED
from tests.factories import SummaryFactory
from tests.ledger.governed import Governed, govern
from tests.ledger.tampering import entries, head, leaves, lived_in, seal
from tests.world import World

#: Tables of which a finding names a row of the tenant, by the names of facts. The row is the first one.
_ROWS = {
    "access": "governance_accessrecord",
    "capsule": "capsules_capsule",
    "capsule_item": "capsules_capsuleitem",
    "artifact": "memory_artifact",
    "task": "memory_task",
    "decision": "memory_decision",
    "delivery": "memory_delivery",
    "supersession": "memory_supersession",
    "relation": "memory_relation",
    "audience": "governance_audience",
    "audience_userset": "governance_audienceuserset",
    "relation_tuple": "governance_relationtuple",
    "relation_revocation": "governance_relationrevocation",
    "implied": "governance_impliedrelation",
    "rule": "governance_audiencerule",
    "value": "memory_value",
    "bundle_item": "memory_contextbundleitem",
}


def live(world: World, elsewhere: World) -> dict[str, Any]:
    """Let everything happen; answers facts by name. `<name>_at` is the position of the leaf of a row."""
    governed = govern(world, elsewhere)
    lived_in(world)
    facts = {**_people(governed), **_memory(world), **_edits(world), **_erased(world, governed)}
    seal(world)
    last = world.event("Jack sails at dawn")
    seal(world)
    facts |= {"last_event": last["event_id"], "last_chunk": last["chunk_ids"][0]}
    facts |= _found(world, facts) | _ledger(world, facts)
    sealed = leaves(world)
    positions = {str(leaf.row_id): leaf.position for leaf in sealed if leaf.kind != "agent_memory"}
    memories = {str(leaf.row_id): leaf.position for leaf in sealed if leaf.kind == "agent_memory"}
    places = {f"{name}_at": positions[str(id_)] for name, id_ in facts.items() if str(id_) in positions}
    return facts | places | {"memory_row_at": memories[facts["memory"]]}


def _people(governed: Governed) -> dict[str, Any]:
    return {
        "tenant": governed.world.tenant_id,
        "slug": governed.world.slug,
        "bob": governed.bob.username,
        "bob_id": governed.bob.id,
        "ann": governed.ann.username,
        "ann_id": governed.ann.id,
        "charlie": governed.charlie.username,
        "charlie_id": governed.charlie.id,
        "carol_id": governed.admins.carol_principal.id,
        "boss": governed.boss.username,
        "boss_id": governed.boss.id,
        "dora_id": governed.dora.id,
        "alice_id": governed.world.alice_principal.id,
        "revoked": governed.revoked.prefix,
        "revoked_id": governed.revoked.id,
        "expiring": governed.expiring.prefix,
        "expiring_id": governed.expiring.id,
        "invitation_id": governed.invitation.id,
        "waiting_id": governed.waiting.id,
    }


def _memory(world: World) -> dict[str, Any]:
    event = world.event("Jack keeps bees")
    summary = world.alice.ok("post", "chunks/summary", SummaryFactory(text="Jack is a beekeeper"))
    agent = Agent(world.alice)
    one = agent.commit("Jack likes tea")
    agent.commit("Jack likes rain")
    above = agent.rethink([one["seq"]], "Jack likes green tea")
    return {
        "event": event["event_id"],
        "chunk": event["chunk_ids"][0],
        "summary": summary["chunk_id"],
        "memory": above["chunk_id"],
        "shown": world.chunk("Jack drinks tea"),
    }


def _edits(world: World) -> dict[str, Any]:
    """An edit of every status; those that wait until the end come last, since time passes for the others."""

    def proposed(text: str, name: str) -> dict[str, str]:
        # a person's record: what an agent retracts of its own does not wait
        (chunk,) = world.bob.ok("post", "events", world.draft(text, session_id="of-bob"))["chunk_ids"]
        return {f"{name}_chunk": chunk, name: world.edit(chunk, "retract", by=world.alice)["edit_id"]}

    found = {
        **proposed("Jack drinks gin", "approved"),
        **proposed("Jack drinks rum", "rejected"),
        **proposed("Jack drinks ale", "withdrawn"),
        **proposed("Jack drinks port", "expired"),
        **proposed("Jack drinks wine", "reverted"),
    }
    world.bob.decide(found["approved"], reason="Agreed")
    world.bob.decide(found["rejected"], "reject", reason="no")
    world.alice.ok("post", f"edits/{found['withdrawn']}/withdraw", {})
    world.bob.decide(found["reverted"])
    found["revert"] = world.edit(found["reverted_chunk"], "revert", edit_id=found["reverted"])["edit_id"]
    edits.expire_edits(at=timezone.now() + timedelta(days=365))
    amended = world.chunk("one")
    found |= {
        "amended_chunk": amended,
        "amend": world.edit(amended, "amend", text="two")["edit_id"],
        "second_amend": world.edit(amended, "amend", text="three")["edit_id"],
    }
    return found | proposed("Jack drinks cider", "pending")


def _erased(world: World, governed: Governed) -> dict[str, Any]:
    event = world.event(f"{UNSTOPPED} is a word")
    erasure = governed.admins.erase(by="event", id=event["event_id"])["erasure_id"]
    waiting = world.event("Jack keeps a secret")
    proposed = governed.admins.propose(by="event", id=waiting["event_id"])
    return {"erased": event["event_id"], "erasure": erasure, "proposed": proposed}


def _found(world: World, known: dict[str, Any]) -> dict[str, Any]:
    """Rows that what happened left, besides those that it answered."""

    def one(sql: str, *values: Any) -> Any:
        with connections["owner"].cursor() as cursor:
            cursor.execute(sql, [world.tenant_id, *values])
            return cursor.fetchone()[0]

    facts = {
        name: one(f"SELECT id FROM {table} WHERE tenant_id = %s ORDER BY id LIMIT 1") for name, table in _ROWS.items()
    }
    for name in ("approved", "rejected"):
        verdict = "SELECT id FROM governance_verdict WHERE tenant_id = %s AND edit_id = %s"
        facts[f"{name}_verdict"] = one(verdict, known[name])
    for name, table in (("event", "memory_event"), ("chunk", "memory_chunk")):
        facts[f"{name}_words"] = one(f"SELECT content_id FROM {table} WHERE tenant_id = %s AND id = %s", known[name])
    facts["task_id"] = one("SELECT task_id FROM memory_task WHERE tenant_id = %s AND id = %s", facts["task"])
    facts["related"] = one("SELECT later_id FROM memory_relation WHERE tenant_id = %s AND id = %s", facts["relation"])
    facts["used"] = one("SELECT chunk_id FROM memory_delivery WHERE tenant_id = %s AND id = %s", facts["delivery"])
    receipt = "SELECT id FROM governance_receipt WHERE tenant_id = %s AND %s::uuid = ANY (row_ids)"
    for name, column in (("bundle", "bundle_id"), ("given", "memory_id")):
        given = f"SELECT {column} FROM memory_contextbundleitem WHERE tenant_id = %s AND id = %s"
        facts[name] = one(given, facts["bundle_item"])
    item = "FROM governance_erasureitem WHERE tenant_id = %s AND record_id = %s"
    facts |= {
        "erasure_item": one(f"SELECT id {item}", known["erased"]),
        "erased_text": one(f"SELECT content_id {item}", known["erased"]),
    }
    return facts | {
        "receipt": one(receipt, known["event"]),
        "last_receipt": one(receipt, known["last_event"]),
        "erased_words": one("SELECT id FROM governance_erasedcontent WHERE tenant_id = %s LIMIT 1"),
    }


def _ledger(world: World, known: dict[str, Any]) -> dict[str, Any]:
    """The numbers of entries, and how far the tree heads go."""
    chain = entries(world)
    seals = [entry.seq for entry in chain if entry.type == SEAL]
    heads = [note.tree_head for note in parse_notes(published_tree_heads.path_of(world.tenant_id).read_text())]

    def named(type: str, edit: str) -> int:
        (seq,) = [entry.seq for entry in chain if entry.type == type and entry.metadata["edit"] == str(edit)]
        return seq

    return {
        "chain_id": head(world).id,
        "agent_chain_id": head(world, "agent:alice").id,
        "proposal": named("edit.proposed", known["approved"]),
        "approval": named("edit.approved", known["approved"]),
        "approval_id": chain[named("edit.approved", known["approved"])].id,
        "seal": seals[0],
        "last_seal": seals[-1],
        "after_approval": named("edit.approved", known["approved"]) + 1,
        "last": chain[-1].seq,
        "next": chain[-1].seq + 1,
        "agent_last": head(world, "agent:alice").seq,
        "fingerprint": [entry.metadata["fingerprint"] for entry in chain if entry.type == "schema.fingerprinted"][-1],
        "published_last": heads[-1].seq,
        "published_before": heads[-2].seq,
        "size": heads[-1].size,
        "one_more": heads[-1].size + 1,
        "last_leaf": heads[-1].size - 1,
        "size_first": heads[0].size,
        "size_before": heads[-2].size,
        "root_before": heads[-2].root,
        # what is planted
        "forged": "00000000-0000-7000-8000-00000000000f",
    }
