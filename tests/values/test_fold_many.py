"""A value that stands in many memories: they are hidden at once, and shown again as they are folded."""

from typing import Any

import pytest

from governance.acting import gate
from memory.db import effective_drift
from memory.values import folding
from tests.values.test_forget_value import forget
from tests.world import World

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "review", "owner"])

#: What one transaction folds at most (refold_value).
AT_ONCE = 1_000


def say(world: World, times: int) -> None:
    drafts = [world.draft(f"Staging runs on orchid-7, number {number}.") for number in range(times)]
    for first in range(0, times, 500):
        world.alice.ok("post", "events/batch", {"events": drafts[first : first + 500]})


def texts(world: World) -> set[str]:
    rows = world.alice.ok("get", "chunks?limit=200")
    return {row["text"] for row in rows["results"] if row["text"].startswith("Staging")}


def drift(world: World) -> list[Any]:
    with world.inside("owner"):
        return effective_drift.on("owner")(tenant=world.tenant_id)


def test_all_are_folded_in_one_transaction(world: World) -> None:
    say(world, 230)
    done = forget(world.bob, "orchid-7")
    assert len(texts(world)) == 200
    assert all(text.startswith("Staging runs on […], number ") for text in texts(world))
    assert drift(world) == []
    world.bob.ok("post", f"edits/{done['edit_id']}/revert", {"reason": "It was right"})
    assert all(text.startswith("Staging runs on orchid-7, number ") for text in texts(world))
    assert drift(world) == []


def test_what_is_too_much_for_one_transaction_is_hidden_until_the_job_folds_it(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    say(world, AT_ONCE + 1)
    forget(world.bob, "orchid-7")
    assert texts(world) == set()
    (guard,) = world.bob.ok("get", "values")["results"]
    assert guard["waiting"] == AT_ONCE + 1
    assert drift(world) == []
    monkeypatch.setattr(gate, "tenants", lambda: {world.slug: world.tenant_id})
    folding.fold_waiting()
    assert len(texts(world)) == 200
    assert world.bob.ok("get", "values")["results"][0]["waiting"] == 0
    assert drift(world) == []


def test_later_records_may_say_it_once_the_guard_has_ended(world: World) -> None:
    world.event("Staging runs on orchid-7.")
    forget(world.bob, "orchid-7", ends_at="2999-01-01T00:00:00Z")
    with world.inside("owner"):
        gate.rows("UPDATE memory_guard SET ends_at = now() RETURNING id", [], using="owner")
    world.event("It is orchid-7 again.")
    assert world.found("orchid-7") == ["It is orchid-7 again."]
    assert world.found("staging") == ["Staging runs on […]."]
