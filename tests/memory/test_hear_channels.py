"""A key without a channel reads nothing that was recorded in that channel, by any door."""

import uuid

import pytest

from governance.acting import gate
from governance.models import Agent

WORD = "zanzibar"


@pytest.fixture
def outsider(agent_in):
    """An agent whose key speaks in public only."""
    return agent_in("public")


def everything(world, **fields):
    """One memory of each kind in session-1 about user sam, in alice's channel."""
    about = {"subject_type": "user", "subject_id": "sam", **fields}
    return {
        "message": world.event(f"{WORD} message", **about),
        "decision": world.event(f"{WORD} told", kind="decision", content={"decision": f"{WORD} decided"}, **about),
        "task": world.event(f"{WORD} asked", kind="task_update", content={"title": f"{WORD} task", "status": "open"},
                            **about),
        "artifact": world.event(f"{WORD} made", kind="artifact", content={"name": "plan", "media_type": "text/plain"},
                                **about),
    }  # fmt: skip


def summary(world, session="session-0", **fields):
    body = {"text": f"{WORD} summary", "scope": "user", "subject_type": "user", "subject_id": "sam"}
    return world.alice.ok("post", "chunks/summary", {**body, "session_id": session, "channel": "private", **fields})


def doors(api, recorded, decision):
    """What a reader is answered at each door, as text."""
    chunk = recorded["chunk_ids"][0]
    about = {"subject_type": "user", "subject_id": "sam"}
    in_query = "subject_type=user&subject_id=sam"
    bundle = {"session_id": "session-1", "channel": "public", "query": WORD}
    answers = {
        "event": api.get(f"events/{recorded['event_id']}"),
        "events": api.get("events"),
        "chunks/get": api.post("chunks/get", {"chunk_ids": [chunk], "include_quarantined": True}),
        "chunks": api.get("chunks"),
        "search": api.post("chunks/search", {"query": WORD}),
        "search in public": api.post("chunks/search", {"query": WORD, "channel": "public"}),
        "timeline": api.get(f"chunks/{chunk}/timeline"),
        "history": api.get(f"chunks/{chunk}/history"),
        "decisions": api.get("decisions/active"),
        "decisions about": api.get(f"decisions/active?{in_query}"),
        "bundle": api.post("acb/build", bundle),
        "bundle about": api.post("acb/build", {**bundle, **about}),
        "preview": api.post(
            "edits/preview", {"target_type": "chunk", "target_id": chunk, "op": "attenuate", "patch": {"importance": 1}}
        ),
        "preview of a decision": api.post(
            "edits/preview",
            {"target_type": "decision", "target_id": decision, "op": "attenuate", "patch": {"importance": 1}},
        ),
        "by filter": api.post(
            "edits/by-filter",
            {"filter": {"phrase": WORD}, "op": "attenuate", "reason": "test it", "patch": {"importance": 1}},
        ),
    }
    return {name: response.content.decode() for name, response in answers.items()}


def test_none_of_the_doors_answers_its_words(world, outsider):
    recorded = everything(world)
    summary(world)

    answers = doors(outsider, recorded["message"], recorded["decision"]["decision_id"])

    assert {name: text for name, text in answers.items() if WORD in text} == {}


def test_all_doors_answer_them_to_a_key_with_the_channel(world, agent_in):
    recorded = everything(world)
    summary(world)

    answers = doors(agent_in("public", "private"), recorded["message"], recorded["decision"]["decision_id"])

    # the history is for people, and a bundle for public has no private memory; the query of a search or preview is not
    # answered, so these are words of the memory
    without = {name for name, text in answers.items() if WORD not in text}
    assert without == {"history", "search in public", "bundle", "bundle about"}


def test_an_event_is_as_if_there_were_none(world, outsider):
    recorded = world.event()

    missing, hidden = outsider.get(f"events/{uuid.uuid4()}"), outsider.get(f"events/{recorded['event_id']}")

    assert (hidden.status_code, hidden.json()["title"]) == (missing.status_code, missing.json()["title"]) == (
        404,
        "No such event",
    )  # fmt: skip


def test_a_named_channel_is_no_filter_by_id(world):
    """What counts is the key's channels: who may read both reads both, wherever they speak."""
    chunk = world.chunk(WORD, channel="team")

    answer = world.alice.ok("post", "chunks/get", {"chunk_ids": [chunk], "channel": "public"})

    assert [one["text"] for one in answer["chunks"]] == [WORD]


def test_people_read_every_channel(world):
    recorded = {channel: world.event(WORD, channel=channel) for channel in ("private", "public", "team", "agent")}

    for reader in (world.bob, world.auditor):
        for one in recorded.values():
            assert reader.ok("get", f"events/{one['event_id']}")["content"]["text"] == WORD
            assert reader.ok("post", "chunks/get", {"chunk_ids": one["chunk_ids"]})["chunks"]


def test_an_item_of_a_capsule_is_withheld(world, outsider):
    made = everything(world)
    public = world.chunk("in the open", channel="public")
    items = {
        "chunks": [made["message"]["chunk_ids"][0], public],
        "decisions": [made["decision"]["decision_id"]],
        "artifacts": [made["artifact"]["artifact_id"]],
    }
    with world.inside():
        name = Agent.objects.get(id=_id_of(outsider, world)).slug
    capsule = world.alice.ok(
        "post",
        "capsules",
        {"subject_type": "user", "subject_id": "sam", "scope": "user", "items": items, "audience_agent_ids": [name]},
    )["capsule_id"]

    response = outsider.get(f"capsules/{capsule}")

    assert WORD not in response.content.decode()
    chunks = response.json()["items"]["chunks"]
    assert [one.get("withheld") for one in chunks] == ["channel", None]
    assert [one["withheld"] for kind in ("decisions", "artifacts") for one in response.json()["items"][kind]] == [
        "channel",
        "channel",
    ]
    bundle = outsider.ok("post", "acb/build", {"session_id": "s", "channel": "public", "include_capsules": True})["acb"]
    assert WORD not in str(bundle)
    assert "in the open" in str(bundle)
    reasons = {one["reason"] for one in bundle["omissions"] if one["section"] == "capsules"}
    assert reasons == {"channel"}


def _id_of(api, world):
    with gate.tenant(world.tenant_id):
        return gate.authenticate(api.key).id


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
def test_a_bundle_built_before_the_key_lost_the_channel_is_read_without_words(world, agent_in):
    api = agent_in("public", "private")
    everything(world)
    bundle = api.ok("post", "acb/build", {"session_id": "session-1", "channel": "private"})["acb"]
    assert WORD in api.get(f"acb/{bundle['acb_id']}").content.decode()

    # nothing of the product narrows an agent's channels yet
    _narrow(world, api)

    replay = api.get(f"acb/{bundle['acb_id']}")
    assert WORD not in replay.content.decode()


def _narrow(world, api):
    agent = _id_of(api, world)
    gate.rows(
        "UPDATE governance_agent SET channels = ARRAY['public'] WHERE id = %s RETURNING id", [agent], using="owner"
    )
