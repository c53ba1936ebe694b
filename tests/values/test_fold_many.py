"""A value that stands in many memories: they are hidden at once, and shown again as they are folded."""

from typing import Any

import pytest

from governance.acting import gate
from memory.db import effective_drift
from memory.values import folding
from tests.values.test_forget_value import forget
from tests.world import World

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "review", "owner"])

MANY = 230


@pytest.fixture
def said(world: World) -> World:
    drafts = [world.draft(f"Staging runs on orchid-7, number {number}.") for number in range(MANY)]
    world.alice.ok("post", "events/batch", {"events": drafts})
    return world


def texts(world: World) -> set[str]:
    rows = world.alice.ok("get", "chunks?limit=200")
    return {row["text"] for row in rows["results"] if row["text"].startswith("Staging")}


def drift(world: World) -> list[Any]:
    with world.inside("owner"):
        return effective_drift.on("owner")(tenant=world.tenant_id)


def test_all_are_folded_in_one_transaction(said: World) -> None:
    done = forget(said.bob, "orchid-7")
    assert len(texts(said)) == 200
    assert all(text.startswith("Staging runs on […], number ") for text in texts(said))
    assert drift(said) == []
    said.bob.ok("post", f"edits/{done['edit_id']}/revert", {"reason": "It was right"})
    assert all(text.startswith("Staging runs on orchid-7, number ") for text in texts(said))
    assert drift(said) == []


def test_what_is_too_much_for_one_transaction_is_hidden_until_the_job_folds_it(
    said: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folding, "AT_ONCE", 0)
    forget(said.bob, "orchid-7")
    assert texts(said) == set()
    (guard,) = said.bob.ok("get", "values")["results"]
    assert guard["waiting"] == MANY
    assert drift(said) == []
    monkeypatch.setattr(gate, "tenants", lambda: {said.slug: said.tenant_id})
    folding.fold_waiting()
    assert len(texts(said)) == 200
    assert said.bob.ok("get", "values")["results"][0]["waiting"] == 0
    assert drift(said) == []


def test_later_records_may_say_it_once_the_guard_has_ended(world: World) -> None:
    world.event("Staging runs on orchid-7.")
    forget(world.bob, "orchid-7", ends_at="2999-01-01T00:00:00Z")
    with world.inside("owner"):
        gate.rows("UPDATE memory_guard SET ends_at = now() RETURNING id", [], using="owner")
    world.event("It is orchid-7 again.")
    assert world.found("orchid-7") == ["It is orchid-7 again."]
    assert world.found("staging") == ["Staging runs on […]."]
