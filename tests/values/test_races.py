"""Whatever is recorded or approved while a value is forgotten, no answer says it afterwards."""

from collections.abc import Callable
from typing import Any

import pytest

from memory.db import effective_drift
from tests.values.test_forget_value import preview
from tests.world import World

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "review", "owner"])

ROUNDS = 4


def token_to_forget(world: World, value: str) -> str:
    return str(preview(world.bob, value)["token"])


@pytest.mark.parametrize(
    "act",
    [
        lambda world, text: world.alice.post("events", world.draft(text)),
        lambda world, text: world.alice.post("tools/memory_commit", {"content": text}),
        lambda world, text: world.alice.post("events/batch", {"events": [world.draft(text) for _ in range(5)]}),
    ],
    ids=["event", "commit", "batch"],
)
def test_what_is_recorded_meanwhile(world: World, at_once: Any, act: Callable[[World, str], Any]) -> None:
    for number in range(ROUNDS):
        value = f"orchid-{number}"
        world.event(f"Staging runs on {value}.")
        token = token_to_forget(world, value)
        done, recorded = at_once(
            lambda token=token: world.bob.post("values", {"token": token}),
            lambda text=f"It is {value}.": act(world, text),
        )
        assert recorded.status_code in (200, 201), recorded.content
        assert done.status_code in (201, 409), done.content  # 409: it came first, so the preview is stale
        if done.status_code == 409:
            world.bob.ok("post", "values", {"token": token_to_forget(world, value)})
        assert value not in str(world.found("staging")) + str(world.alice.ok("get", "chunks?limit=100"))
    with world.inside("owner"):
        assert effective_drift.on("owner")(tenant=world.tenant_id) == []


def test_a_correction_that_is_approved_meanwhile(world: World, at_once: Any) -> None:
    for number in range(ROUNDS):
        value = f"orchid-{number}"
        world.event(f"Staging runs on {value}.")
        draft = world.draft("Production runs on rose.", actor_type="human")
        (chunk,) = world.bob.ok("post", "events", draft)["chunk_ids"]
        edit = world.edit(chunk, "amend", by=world.alice, text=f"Production runs on {value} too.")["edit_id"]
        token = token_to_forget(world, value)
        done, approved = at_once(
            lambda token=token: world.bob.post("values", {"token": token}),
            lambda edit=edit: world.ann.post(f"edits/{edit}/approve", {}),
        )
        assert approved.status_code == 200, approved.content
        assert done.status_code in (201, 409), done.content
        if done.status_code == 409:
            world.bob.ok("post", "values", {"token": token_to_forget(world, value)})
        assert value not in str(world.alice.ok("get", "chunks?limit=100"))
    with world.inside("owner"):
        assert effective_drift.on("owner")(tenant=world.tenant_id) == []
