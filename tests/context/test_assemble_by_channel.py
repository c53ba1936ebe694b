"""What is assembled for a channel has no memory of channels that are less open, unless the request asks for it."""

import pytest

from tests.factories import EventFactory

OPENNESS = ("public", "agent", "team", "private")
WORDS = {channel: f"The {word} valve opens at {number} bar" for number, (channel, word) in enumerate(
    zip(OPENNESS, ("copper", "iron", "brass", "steel"), strict=True), 3)}  # fmt: skip


@pytest.fixture
def recorded(world):
    """One memory in each channel, of one session about one subject."""
    about = {"session_id": "valves", "subject_type": "plant", "subject_id": "7"}
    for channel, words in WORDS.items():
        world.alice.ok("post", "events", EventFactory(channel=channel, content={"text": words}, **about))
    return about


def assembled(world, about, how, **asked):
    subject = {name: about[name] for name in ("subject_type", "subject_id")}
    if how == "bundle":
        body = {"session_id": "valves", "query": "valve opens at bar", "format": "text", **subject, **asked}
        return world.alice.ok("post", "acb/build", body)["acb"]["text"]
    if how == "bootstrap":
        body = {"query": "valve opens at bar", **subject, **asked}
        return world.alice.ok("post", "context/bootstrap", body)["system_prompt"]
    found = world.alice.ok("post", "tools/memory_recall", {"query": "valve opens at bar", **asked})
    return "\n".join(one["content"] for one in found["memories"])


def channels_in(text):
    return [channel for channel in OPENNESS if WORDS[channel] in text]


@pytest.mark.parametrize("how", ["bundle", "bootstrap", "recall"])
def test_memory_comes_from_channels_that_are_at_least_as_open(world, recorded, how):
    for place, channel in enumerate(OPENNESS):
        assert channels_in(assembled(world, recorded, how, channel=channel)) == list(OPENNESS[: place + 1]), channel


@pytest.mark.parametrize("how", ["bundle", "bootstrap", "recall"])
def test_a_request_may_ask_for_less_open_channels_of_its_key(world, recorded, how):
    found = assembled(world, recorded, how, channel="public", also_from=["team"])
    assert channels_in(found) == ["public", "team"]
    assert channels_in(assembled(world, recorded, how, channel="public")) == ["public"], "it holds for one request"


@pytest.mark.parametrize("how", ["bundle", "bootstrap", "recall"])
def test_a_channel_that_the_key_does_not_allow_is_refused(agent_in, how):
    ways = {
        "bundle": ("acb/build", {"session_id": "s"}),
        "bootstrap": ("context/bootstrap", {}),
        "recall": ("tools/memory_recall", {"query": "valve"}),
    }
    path, body = ways[how]
    refused = agent_in("public", "team").post(path, {**body, "channel": "public", "also_from": ["team", "private"]})
    assert refused.status_code == 403
    assert [fault["pointer"] for fault in refused.json()["errors"]] == ["#/also_from/1"]


def test_a_search_keeps_all_channels_of_the_key(world, recorded):
    found = world.alice.ok("post", "chunks/search", {"query": "valve opens at bar", "limit": 10})
    assert {one["text"] for one in found["chunks"]} == set(WORDS.values())
