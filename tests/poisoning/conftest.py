"""`mallory` is another agent of the tenant; `recorded` records texts of an agent in one call."""

import pytest

from governance.identity import identities
from tests.world import Api


@pytest.fixture
def mallory(world):
    made = identities.provision(world.slug, agents=[("mallory", [])])
    return Api(made.agents["mallory"]["key"])


@pytest.fixture
def recorded():
    def record(api, texts, *, session="session-1", **content):
        """Record a message for each text, in sessions of their own if `session` has a place for a number; the ids of
        the chunks."""
        found = []
        for start in range(0, len(texts), 500):
            events = [
                {
                    "session_id": session.format(number), "channel": "private", "actor_type": "agent",
                    "actor_id": "somebody", "kind": "message", "content": {"text": text, **content},
                }
                for number, text in enumerate(texts[start : start + 500], start)
            ]  # fmt: skip
            found += api.ok("post", "events/batch", {"events": events})["events"]
        return [chunk for one in found for chunk in one["chunk_ids"]]

    return record
