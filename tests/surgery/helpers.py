"""What several files of these tests need."""

from typing import Any

from governance.models import Edit, EditState, Entry, Verdict
from memory.db import effective_drift
from memory.models import Chunk, EffectiveChunk, Event
from tests.factories import EditFactory

#: What a preview says of a memory that no edit withholds.
NOTHING_HIDES_IT = {"is_retracted": False, "is_quarantined": False, "blocked_channels": []}

CHANGED_BY_AN_EDIT = (Edit, EditState, Verdict, Entry)


def proposal(target, op, target_type="chunk", **patch):
    """The body of one proposal."""
    body: dict[str, Any] = EditFactory(target_type=target_type, target_id=str(target), op=op, patch=patch)
    return body


def preview(api, target, op, target_type="chunk", **patch):
    """The answer to a preview of one edit."""
    body = proposal(target, op, target_type, **patch)
    del body["reason"]
    return api.post("edits/preview", body)


def counts(world):
    """How many rows there are of everything that an edit or a record adds to."""
    with world.inside():
        return {
            model.__name__: model.objects.filter(tenant_id=world.tenant_id).count()
            for model in (*CHANGED_BY_AN_EDIT, Event, Chunk, EffectiveChunk)
        }


def entries(world, *types):
    """The entries of the governance chain, oldest first; of these types only, where any are named."""
    with world.inside():
        rows = Entry.objects.filter(tenant_id=world.tenant_id, chain__name="governance").order_by("seq")
        return [row for row in rows if not types or row.type in types]


def read(world, chunk, **fields):
    """The chunk as an explicit reader in the channel private sees it, or None."""
    asked = {"chunk_ids": [str(chunk)], "include_quarantined": True, "channel": "private", **fields}
    found = world.alice.ok("post", "chunks/get", asked)["chunks"]
    return found[0] if found else None


def drift(world):
    """What the projection has that the record does not make. For tests with the owner's database."""
    with world.inside("owner"):
        return effective_drift.on("owner")(tenant=world.tenant_id)


def status_of(world, edit):
    return world.bob.ok("get", f"edits/{edit}")["status"]


def words(count, start=0):
    """`count` words that are found one by one."""
    return " ".join(f"word{number}" for number in range(start, start + count))
