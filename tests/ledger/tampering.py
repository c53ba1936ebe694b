"""What the owner of the tables can do to a ledger, who may switch its guards off, and what verification then says."""

import io
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from typing import Any

import rfc8785
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.core.management import call_command
from django.db import connections, transaction
from django.utils import timezone

from governance.acting import gate
from governance.ledger import appending, keyring, sealing, tree_heads, verification
from governance.models import Chain, Entry, Leaf, new_id
from governance.relations import adding, revoking
from governance.relations.drafts import RelationDraft
from memory.usage.db import record_deliveries
from suture_verify.entries import GOVERNANCE
from suture_verify.messages import head_of
from tests.capture.capturing import PROMPT, body, store
from tests.factories import CapsuleFactory, EditFactory, EventFactory, SummaryFactory
from tests.tiers.usage import Usage
from tests.world import World

GUARDS = "('governance_deny_change'::regproc, 'governance_deny_change_unless_erased'::regproc)"


def entries(world: World, chain: str = GOVERNANCE) -> list[Entry]:
    """The entries of a chain in order."""
    with world.inside():
        return list(Entry.objects.filter(tenant_id=world.tenant_id, chain__name=chain).order_by("seq"))


def leaves(world: World) -> list[Leaf]:
    """The leaves of the tenant's tree in order."""
    with world.inside():
        return list(Leaf.objects.filter(tenant_id=world.tenant_id).order_by("position"))


def head(world: World, chain: str = GOVERNANCE) -> Chain:
    """The head of a chain."""
    with world.inside():
        return Chain.objects.get(tenant_id=world.tenant_id, name=chain)


def pinned(world: World, chain: str = GOVERNANCE) -> bytes:
    """The public key that signs a chain now."""
    key = head(world, chain).public_key
    assert key is not None
    return bytes(key)


def append(world: World, number: int = 1, chain: str = GOVERNANCE) -> None:
    """Append entries, each in a transaction of its own."""
    for _ in range(number):
        with world.inside():
            appending.record("test", actor=world.bob_principal, metadata={}, chain=chain)


def lived_in(world: World) -> World:
    """A ledger with a bit of everything, sealed and published."""
    chunk = world.chunk("The quick brown fox")
    world.event(kind="decision", content={"decision": "Ship it"})
    world.event(kind="task_update", content={"title": "Ship it", "status": "open"}, key="ship")
    world.event(kind="artifact", content={"name": "notes", "media_type": "text/plain"})
    words = {"note": "Take care", "risks": ["angry"]}
    capsule = CapsuleFactory(items={"chunks": [chunk]}, **words)
    world.alice.ok("post", "capsules", capsule)
    world.alice.ok("post", "acb/build", {"session_id": "session-1", "channel": "private"})
    world.edit(chunk, "amend", text="The slow brown fox")
    waiting = world.edit(chunk, "quarantine", by=world.alice)["edit_id"]
    world.bob.decide(waiting, "reject", reason="no")
    append(world, chain="agent:alice")
    world.alice.ok("post", "tools/memory_commit", {"content": "Jack likes tea"})
    deliver(world, chunk)
    world.alice.ok("post", f"chunks/{chunk}/outcome", {"outcome": "success", "session_id": "session-1"})
    captured(world)
    promoted(world, chunk)
    checkpointed(world)
    forgotten(world)
    related(world)
    exported(world)
    seal(world)
    return world


def captured(world: World) -> None:
    """A version of a file, and a captured prompt that was deleted again."""
    store(world.alice, "notes.md", "Take care.", compute_embedding=False)
    made = world.alice.ok("post", "captures", body("Take more care", PROMPT, compute_embedding=False))
    world.alice.ok("post", "captures/delete", {"chunk_ids": made["chunk_ids"]})


def promoted(world: World, chunk: str) -> None:
    """Let the job promote a chunk that was used twice in a session."""
    usage = Usage(world)
    usage.used(chunk, "session-1", times=2)
    usage.run()


def forgotten(world: World) -> None:
    """A value that is in no answer."""
    world.event("The code is orchid-7")
    found = world.bob.ok("post", "values/preview", {"op": "forget", "value": "orchid-7", "reason": "asked to"})
    world.bob.ok("post", "values", {"token": found["token"]})


def related(world: World) -> None:
    """An audience, a relation, and one that was revoked again."""
    with world.inside():
        for name in ("bo", "ada"):
            draft = RelationDraft("clinician:charlie", "clinician_of", f"patient:{name}", "a test")
            found = adding.add_relation(draft, actor=world.bob_principal)
        revoking.revoke_relation(found.id, actor=world.bob_principal, reason="a test")
    interned(world, "patient:ada", "patient:ada#clinician_of")


def interned(world: World, *usersets: str) -> int:
    """The number of the audience of these usersets, as the gate interns it when something is recorded for them."""
    with world.inside():
        number: int = gate.rows("SELECT testing.intern(%s, %s) AS n", [world.tenant_id, list(usersets)])[0]["n"]
    return number


def checkpointed(world: World) -> None:
    """A checkpoint with an operation that is done, and one that was deleted again."""
    state = {"pending_operations": [{"id": "fetch"}]}
    kept, deleted = (world.alice.ok("post", "sessions/run/checkpoints", state)["id"] for _ in range(2))
    world.alice.ok("post", f"checkpoints/{kept}/operations/fetch/done", {})
    world.alice.ok("delete", f"checkpoints/{deleted}")


def deliver(world: World, chunk: str) -> None:
    """Give alice a chunk, and record it as the job does."""
    given = {
        "id": str(new_id()),
        "chunk_id": chunk,
        "version": 0,
        "receiver_kind": "agent",
        "receiver_id": str(world.alice_principal.id),
        "receiver": "alice",
        "means": "recall",
        "at": timezone.now().isoformat(),
    }
    with gate.job(world.tenant_id):
        record_deliveries(tenant=world.tenant_id, deliveries=json.dumps([given]))


def writes_of(world: World) -> dict[str, dict[str, Any]]:
    """A body for each path by which an agent stores something, saying "unsealed" where it says anything."""
    event = EventFactory(content__text="unsealed")
    with world.inside():
        chunk = str(gate.rows("SELECT id FROM memory_chunk WHERE tenant_id = %s LIMIT 1", [world.tenant_id])[0]["id"])
    edit = EditFactory(target_id=chunk, op="quarantine")
    return {
        "events": event,
        "events/batch": {"events": [event]},
        "chunks/summary": SummaryFactory(text="unsealed"),
        "edits": edit,
        "edits/bulk": {"edits": [edit]},
        "capsules": CapsuleFactory(items={"chunks": [chunk]}),
    }


def exported(world: World, query: str = "") -> bytes:
    """The export of the ledger, as the auditor downloads it."""
    response = world.auditor.get(f"ledger/entries{query}")
    assert response.status_code == 200, response.content
    return b"".join(response.streaming_content)


def seal(world: World) -> str | None:
    """Seal and publish, as the periodic task does; answers the note."""
    sealing.seal_all(world.tenant_id)
    return tree_heads.publish(world.tenant_id)


@contextmanager
def unguarded(*tables: str) -> Iterator[Any]:
    """A cursor of the owner, for whom the guards of these tables are switched off until the end."""
    with transaction.atomic("owner"), connections["owner"].cursor() as cursor:
        cursor.execute(
            f"SELECT tgrelid::regclass::text, tgname FROM pg_trigger WHERE tgfoid IN {GUARDS}"
            " AND tgrelid = ANY (%s::regclass[])",
            [list(tables)],
        )
        guards = cursor.fetchall()
        assert len(guards) >= 2 * len(tables)
        for table, name in guards:
            cursor.execute(f'ALTER TABLE {table} DISABLE TRIGGER "{name}"')
        yield cursor
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("SELECT governance_guard_always()")


def tamper(table: str, sql: str, *params: Any) -> None:
    """Run one statement on an append-only table as its owner, which must change something."""
    with unguarded(table) as cursor:
        cursor.execute(sql, params)
        assert cursor.rowcount > 0, sql


def change_entry(world: World, seq: int, assignment: str, *params: Any) -> None:
    """UPDATE one entry of the governance chain."""
    tamper(
        "governance_entry",
        f"UPDATE governance_entry SET {assignment} WHERE tenant_id = %s AND chain_id = %s AND seq = %s",
        *params,
        world.tenant_id,
        head(world).id,
        seq,
    )


def delete_entries(world: World, first: int, last: int | None = None) -> None:
    """DELETE entries of the governance chain; the head stays as it is."""
    tamper(
        "governance_entry",
        "DELETE FROM governance_entry WHERE tenant_id = %s AND chain_id = %s AND seq BETWEEN %s AND %s",
        world.tenant_id,
        head(world).id,
        first,
        first if last is None else last,
    )


def set_head(world: World, seq: int) -> None:
    """Let the entry `seq` be the head of the governance chain again."""
    found = entries(world)[seq]
    with transaction.atomic("owner"):
        gate.rows(
            "UPDATE governance_chain SET seq = %s, head = %s, ts = %s WHERE tenant_id = %s AND name = %s RETURNING 1",
            [seq, bytes(found.hash), found.ts, world.tenant_id, GOVERNANCE],
            using="owner",
        )


def cut(world: World, last: int) -> None:
    """What a restored backup leaves: the governance chain as it was at entry `last`."""
    delete_entries(world, last + 1, 2**62)
    set_head(world, last)


def rewrite(world: World, seq: int, key: Ed25519PrivateKey | None = None, **changes: Any) -> None:
    """Change what an entry says, then link, hash and sign it and all behind it again: with the server's own key, where
    none is given. Columns and head fit."""
    signer = key or keyring.current().private
    previous: bytes | None = None
    with unguarded("governance_entry") as cursor:
        for entry in entries(world)[seq:]:
            fields = json.loads(bytes(entry.canonical))
            fields |= changes if previous is None else {"prev_hash": previous.hex()}
            canonical = rfc8785.dumps(fields)
            previous = sha256(canonical).digest()
            cursor.execute(
                "UPDATE governance_entry SET canonical = %s, hash = %s, signature = %s, prev_hash = %s, type = %s,"
                " metadata = %s WHERE tenant_id = %s AND id = %s",
                [
                    canonical, previous, signer.sign(canonical), bytes.fromhex(fields["prev_hash"]), fields["type"],
                    json.dumps(fields["metadata"]), world.tenant_id, entry.id,
                ],
            )  # fmt: skip
    set_head(world, entries(world)[-1].seq)


def verify_chain(world: World, *arguments: str) -> tuple[int, str]:
    """The exit code of `verify_chain` for the test's tenant, and what it printed."""
    output, code = io.StringIO(), 0
    try:
        call_command("verify_chain", "--tenant", world.slug, *arguments, stdout=output, no_color=True)
    except SystemExit as end:
        code = int(end.code or 0)
    return code, output.getvalue()


def assert_intact(world: World, *arguments: str) -> None:
    """The command says that the ledger verifies."""
    code, told = verify_chain(world, *arguments)
    assert (code, told.count(": intact (")) == (0, 1), told


def assert_found(world: World, place: str, *arguments: str) -> None:
    """The command fails and names this kind and place, as in `link: governance at 7`."""
    code, told = verify_chain(world, *arguments)
    assert code == 1, told
    assert re.search(rf"{re.escape(place)}\b", told), told


def assert_all_found(world: World, places: dict[Any, str]) -> None:
    """The command fails, and verification names every one of these kinds and places: the command prints the first."""
    code, told = verify_chain(world)
    assert code == 1, told
    told = "\n".join(map(head_of, verification.verify(world.tenant_id).findings))
    assert {what: place for what, place in places.items() if not re.search(rf"{re.escape(place)}\b", told)} == {}, told


#: Assigns a column with one bit turned: `FLIP.format("hash", 3)`.
FLIP = "{0} = set_bit({0}, {1}, 1 - get_bit({0}, {1}))"
