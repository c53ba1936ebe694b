"""The colours of a terminal are dropped from texts, which keep the rest."""

import pytest

from tests.capture.capturing import READING, body
from tests.memory.test_clocks_ahead import EVENT

pytestmark = pytest.mark.django_db

COLOURED = "\x1b[1;31mFAILED\x1b[0m test_x \x1b[2K\x1b]0;title\x07in 3 s"
PLAIN = "FAILED test_x in 3 s"


@pytest.mark.parametrize("kind", ["message", "tool_call", "tool_result"])
def test_an_event_loses_its_colours(world, kind):
    made = world.alice.ok("post", "events", {**EVENT, "kind": kind, "content": {"text": COLOURED}})

    assert [one["text"] for one in world.alice.ok("get", "chunks?session_id=s")["results"]] == [PLAIN]
    assert made["chunk_ids"]


def test_a_capture_loses_its_colours(world):
    made = world.alice.ok("post", "captures", body(COLOURED, READING))

    assert world.alice.ok("get", f"captures/{made['chunk_ids'][0]}")["content"] == PLAIN


def test_an_escape_without_a_sequence_is_refused(world):
    assert world.alice.post("events", {**EVENT, "content": {"text": "Jon\x1b"}}).status_code == 400
