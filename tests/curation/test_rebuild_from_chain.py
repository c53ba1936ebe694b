"""`manage.py rebuild_from_chain`: an agent's chain alone says what its memory is."""

from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from memory.models import AgentMemory, EffectiveChunk
from tests.owning import as_owner
from tests.tools.calls import call

pytestmark = pytest.mark.django_db


def rebuild(world: Any, **options: Any) -> str:
    out = StringIO()
    call_command("rebuild_from_chain", agent="alice", tenant=world.slug, stdout=out, **options)
    return out.getvalue()


def remember(world: Any) -> dict[str, Any]:
    """Two memories in one consolidation, a block of two versions, a decision."""
    made = [call(world.alice, "memory_commit", {"content": f"Jack likes {one}"}) for one in ("tea", "rain")]
    both = [one["seq"] for one in made]
    rethought = call(world.alice, "memory_rethink", {"supersedes": both, "newUnderstanding": "Jack likes tea and rain"})
    for text in ("I am Ada", "I am Ada, a helper"):
        call(world.alice, "block_update", {"label": "persona", "content": text})
    world.event(kind="decision", content={"decision": "Ship it"})
    return {"memories": made, "consolidation": rethought}


def test_a_chain_without_memory_has_no_differences(world: Any) -> None:
    assert rebuild(world) == "agent alice: 1 entries verified: no memory yet\nno differences\n"


def test_every_kind_of_entry_is_rebuilt_without_differences(world: Any) -> None:
    made = remember(world)
    told = rebuild(world)
    assert "7 entries verified: 2 block, 1 consolidation, 1 decision, 2 memory\nno differences\n" in told
    world.edit(made["memories"][0]["chunk_id"], "retract")  # holds the consolidation: the other original comes back
    world.edit(made["memories"][1]["chunk_id"], "amend", text="Jack likes snow")
    assert rebuild(world).endswith("no differences\n")
    world.edit(made["consolidation"]["chunk_id"], "retract")
    assert rebuild(world).endswith("no differences\n")


def test_what_another_process_changed_in_the_projection_is_reported(world: Any) -> None:
    seq = remember(world)["memories"][0]["seq"]
    with world.inside(), as_owner():
        EffectiveChunk.objects.filter(tenant_id=world.tenant_id, seq=seq).update(
            is_superseded=False, superseded_by=None
        )
    out = StringIO()
    with pytest.raises(SystemExit) as left:
        call_command("rebuild_from_chain", agent="alice", tenant=world.slug, stdout=out)
    assert left.value.code == 1
    assert f"memory {seq}: superseded_by: the chain says 3, the database None" in out.getvalue()


def test_a_record_that_no_entry_names_is_reported(world: Any) -> None:
    remember(world)
    with world.inside(), as_owner():
        AgentMemory.objects.create(
            tenant_id=world.tenant_id, agent_id=world.alice_principal.id, seq=99, type="memory", reason=""
        )
    out = StringIO()
    with pytest.raises(SystemExit):
        call_command("rebuild_from_chain", agent="alice", tenant=world.slug, stdout=out)
    assert "memory 99: memory: the chain says missing, the database there" in out.getvalue()


def test_unknown_names_are_refused(world: Any, elsewhere: Any) -> None:
    with pytest.raises(CommandError, match="no agent 'nobody'"):
        call_command("rebuild_from_chain", agent="nobody", tenant=world.slug)
    with pytest.raises(CommandError, match="no tenant 'nowhere'"):
        call_command("rebuild_from_chain", agent="alice", tenant="nowhere")
    with pytest.raises(CommandError, match="Name one with --tenant"):
        call_command("rebuild_from_chain", agent="alice")
