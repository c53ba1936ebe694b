"""The projection is what the record makes of it: compared, mended, and never different after any series of edits."""

import random

import pytest
from django.db import connections

from memory.db import repair_effective
from tests.surgery.helpers import drift

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])]


def repair(world):
    with world.inside("owner"):
        return repair_effective.on("owner")(tenant=world.tenant_id)


def tamper(world, sql):
    with world.inside("owner"), connections["owner"].cursor() as cursor:
        cursor.execute(sql, [world.tenant_id])
        assert cursor.rowcount > 0


def words(number):
    return " ".join(f"word{index}" for index in range(number))


def memories(world):
    """A few memories of every kind; answers (target_type, id) of all that can be edited."""
    recorded = [
        world.event("A short message"),
        world.event(words(450)),
        world.event("We decided", kind="decision", content={"decision": "Use PostgreSQL", "rationale": ["fast"]}),
        world.event(words(300), kind="decision", content={"decision": "Use it everywhere"}),
        world.event(kind="task_update", content={"title": "Ship it", "status": "open"}),
    ]
    recorded.append(
        world.event("No", kind="decision", content={"decision": "SQLite", "supersedes": recorded[2]["decision_id"]})
    )
    recorded.append(
        world.event(
            "Done", kind="task_update", content={"title": "x", "status": "done", "task_id": recorded[4]["task_id"]}
        )
    )
    targets = [("chunk", chunk) for event in recorded for chunk in event["chunk_ids"]]
    return targets + [("decision", event["decision_id"]) for event in recorded if event["decision_id"]]


def edit_at_random(world, targets, chance):
    """One edit of any kind; answers (target, edit_id)."""
    kind, target = chance.choice(targets)
    op, patch = chance.choice(
        [
            ("retract", {}),
            ("quarantine", {}),
            ("block", {"channel": chance.choice(["public", "team"])}),
            ("amend", {"text": f"corrected {chance.random()}"}),
            ("amend", {"importance": round(chance.random(), 4)}),
            ("attenuate", {"importance_delta": round(chance.uniform(-1, 1), 4)}),
        ]
    )
    return kind, target, world.edit(target, op, target_type=kind, **patch)["edit_id"]


@pytest.mark.parametrize("seed", range(4))
def test_nothing_drifts_in_a_random_series_of_edits_and_reverts(world, owner, seed):
    chance = random.Random(seed)
    targets = memories(world)
    assert drift(world) == []
    done: list[tuple[str, str, str]] = []
    for _ in range(30):
        if done and chance.random() < 0.4:
            kind, target, edit = done.pop(chance.randrange(len(done)))
            edit = world.edit(target, "revert", target_type=kind, edit_id=edit)["edit_id"]
            if chance.random() < 0.5:
                done.append((kind, target, edit))
        else:
            done.append(edit_at_random(world, targets, chance))
    assert drift(world) == []
    assert repair(world) == 0


@pytest.mark.parametrize(
    ("sql", "kind", "problem"),
    [
        ("UPDATE memory_effectivechunk SET importance = 0.1 WHERE tenant_id = %s", "chunk", "importance"),
        ("UPDATE memory_effectivechunk SET is_retracted = true WHERE tenant_id = %s", "chunk", "visibility"),
        ("UPDATE memory_effectivechunk SET blocked_channels = '{team}' WHERE tenant_id = %s", "chunk", "visibility"),
        ("UPDATE memory_effectivechunk SET channel = 'public' WHERE tenant_id = %s", "chunk", "metadata"),
        ("UPDATE memory_effectivechunk SET tier = 'archive' WHERE tenant_id = %s", "chunk", "tier"),
        ("UPDATE memory_effectivechunk SET edits_applied = 9 WHERE tenant_id = %s", "chunk", "edits_applied"),
        ("UPDATE memory_effectivechunk SET content_id = gen_random_uuid() WHERE tenant_id = %s", "chunk", "text"),
        ("UPDATE memory_effectivechunk SET text = 'said nobody' WHERE tenant_id = %s", "chunk", "text"),
        ("UPDATE memory_effectivechunk SET text = NULL WHERE tenant_id = %s", "chunk", "text"),
        ("UPDATE memory_effectivechunk SET tsv = NULL WHERE tenant_id = %s", "chunk", "search vector"),
        ("DELETE FROM memory_effectivechunk WHERE tenant_id = %s", "chunk", "missing"),
        ("UPDATE memory_effectivechunk SET id = gen_random_uuid() WHERE tenant_id = %s", "chunk", "without a record"),
        ("UPDATE memory_effectivedecision SET status = 'superseded' WHERE tenant_id = %s", "decision", "state"),
        ("UPDATE memory_effectivedecision SET subject_id = 'x' WHERE tenant_id = %s", "decision", "state"),
        ("DELETE FROM memory_effectivedecision WHERE tenant_id = %s", "decision", "missing"),
        (
            "UPDATE memory_effectivedecision SET id = gen_random_uuid() WHERE tenant_id = %s",
            "decision",
            "without a record",
        ),
        ("UPDATE memory_effectivetask SET status = 'doing' WHERE tenant_id = %s", "task", "state"),
        ("UPDATE memory_effectivetask SET channel = 'public' WHERE tenant_id = %s", "task", "state"),
        ("DELETE FROM memory_effectivetask WHERE tenant_id = %s", "task", "missing"),
        ("UPDATE memory_effectivetask SET id = gen_random_uuid() WHERE tenant_id = %s", "task", "without a record"),
    ],
)
def test_tampering_is_reported_and_mended(world, owner, sql, kind, problem):
    for kind_of_target, target in memories(world)[::2]:
        world.edit(target, "amend", target_type=kind_of_target, text="corrected")
    assert drift(world) == []

    tamper(world, sql)

    found = drift(world)
    assert (kind, problem) in {(row.kind, row.problem) for row in found}
    assert {row.kind for row in found} <= {kind, "decision", "task"}
    assert repair(world) == len(found)
    assert drift(world) == []


def test_a_tampered_tenant_is_not_anothers_concern(world, elsewhere, owner):
    memories(world)
    memories(elsewhere)

    tamper(world, "UPDATE memory_effectivechunk SET importance = 0.1 WHERE tenant_id = %s")

    assert drift(elsewhere) == []
    assert repair(elsewhere) == 0
    assert drift(world)
