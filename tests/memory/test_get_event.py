"""Events are read through the gate too: what was corrected is not read around."""

import uuid

import pytest

from memory.models import EffectiveChunk
from tests.factories import ToolResultFactory


def read(world, event, by=None, **parameters):
    query = "&".join(f"{name}={value}" for name, value in parameters.items())
    return (by or world.alice).ok("get", f"events/{event['event_id']}" + (f"?{query}" if query else ""))


def long_event(world, number=450, **fields):
    return world.event(" ".join(f"w{index}" for index in range(number)), **fields)


def test_it_works(world):
    recorded = world.event("The quick brown fox", content={"data": "curious", "project_id": "alpha"})

    event = read(world, recorded)

    assert event["event_id"] == recorded["event_id"]
    assert event["content"] == {
        "text": "The quick brown fox",
        "data": "curious",
        "scope": "project",
        "project_id": "alpha",
    }
    assert (event["withheld"], event["edits_applied"]) == (None, 0)
    assert event["kind"] == "message"


def test_an_unknown_event_is_404_and_so_is_another_tenants(world, elsewhere):
    theirs = elsewhere.event()
    assert world.alice.get(f"events/{uuid.uuid4()}").status_code == 404
    assert world.alice.get(f"events/{theirs['event_id']}").status_code == 404


@pytest.mark.parametrize(
    ("op", "patch", "withheld"),
    [("retract", {}, "retracted"), ("quarantine", {}, "quarantined"), ("block", {"channel": "team"}, "blocked")],
)
def test_a_hidden_memory_answers_with_its_metadata_and_why(world, op, patch, withheld):
    recorded = world.event("unspeakable", content={"data": "unspeakable"})
    world.edit(recorded["chunk_ids"][0], op, **patch)

    response = world.alice.get(f"events/{recorded['event_id']}")

    event = response.json()
    assert (event["withheld"], event["content"]) == (withheld, None)
    assert event["session_id"] == "session-1"
    assert event["edits_applied"] == 1
    assert b"unspeakable" not in response.content
    (listed,) = world.alice.ok("get", "events")["results"]
    assert listed == event


def test_a_quarantined_memory_is_shown_to_who_asks(world):
    recorded = world.event("a rumour")
    world.edit(recorded["chunk_ids"][0], "quarantine")

    assert read(world, recorded, include_quarantined="true")["content"]["text"] == "a rumour"


def test_a_block_hides_it_from_that_channel_only(world):
    recorded = world.event("internal")
    world.edit(recorded["chunk_ids"][0], "block", channel="public")

    assert read(world, recorded, channel="private")["withheld"] is None
    assert read(world, recorded, channel="public")["withheld"] == "blocked"
    assert read(world, recorded)["withheld"] == "blocked"


@pytest.mark.parametrize(
    ("sensitivity", "private", "public", "unnamed"),
    [
        ("none", None, None, None),
        ("low", None, None, None),
        ("high", None, "sensitivity", None),
        ("secret", "sensitivity", "sensitivity", "sensitivity"),
    ],
)
def test_sensitivity_withholds_the_words(world, sensitivity, private, public, unnamed):
    recorded = world.event("salary", sensitivity=sensitivity)

    assert read(world, recorded, channel="private")["withheld"] == private
    assert read(world, recorded, channel="public")["withheld"] == public
    event = read(world, recorded)
    assert event["withheld"] == unnamed
    assert (event["content"] is None) == (unnamed is not None)


def test_an_event_without_text_is_withheld_by_sensitivity_as_well(world):
    recorded = world.alice.ok(
        "post",
        "events",
        ToolResultFactory(sensitivity="secret", content={"data": "unspeakable"}),
    )
    assert read(world, recorded)["withheld"] == "sensitivity"


def test_an_amended_memory_answers_with_its_effective_text_and_the_scope_fields_only(world):
    recorded = world.event(
        "Jon Doe called",
        content={"data": "Jon called", "subject_type": "user", "subject_id": "jack-doe-123"},
    )
    world.edit(recorded["chunk_ids"][0], "amend", text="John Doe called")

    assert read(world, recorded)["content"] == {
        "text": "John Doe called",
        "scope": "user",
        "subject_type": "user",
        "subject_id": "jack-doe-123",
    }


def test_a_new_importance_alone_withholds_nothing(world):
    recorded = world.event("Jon Doe called", content={"data": "Jon called"})
    world.edit(recorded["chunk_ids"][0], "amend", importance=0.9)

    event = read(world, recorded)
    assert event["content"] == {"text": "Jon Doe called", "data": "Jon called", "scope": "session"}
    assert event["edits_applied"] == 1


@pytest.mark.parametrize(
    ("index", "expected"),
    [
        (0, ["CORRECTED", *(f"w{number}" for number in range(200, 450))]),
        (1, [*(f"w{number}" for number in range(150)), "CORRECTED", *(f"w{number}" for number in range(350, 450))]),
        (2, [*(f"w{number}" for number in range(300)), "CORRECTED"]),
    ],
)
def test_a_corrected_chunk_of_a_long_event_stands_in_its_place(world, index, expected):
    recorded = long_event(world)
    world.edit(recorded["chunk_ids"][index], "amend", text="CORRECTED")

    assert read(world, recorded)["content"]["text"].split() == expected


def test_every_chunk_of_a_long_event_corrected(world):
    recorded = long_event(world)
    for index, chunk in enumerate(recorded["chunk_ids"]):
        world.edit(chunk, "amend", text=f"part {index}")

    assert read(world, recorded)["content"]["text"].split() == ["part", "0", "part", "1", "part", "2"]


def test_one_retracted_chunk_withholds_the_whole_event(world):
    recorded = long_event(world)
    world.edit(recorded["chunk_ids"][1], "retract")

    event = read(world, recorded, include_quarantined="true")
    assert (event["withheld"], event["content"]) == ("retracted", None)


@pytest.mark.parametrize(
    ("op", "patch"),
    [("retract", {}), ("quarantine", {}), ("block", {"channel": "private"}), ("amend", {"text": "other words"})],
)
def test_the_words_that_a_neighbour_shares_with_an_edited_chunk_are_not_found(world, op, patch):
    recorded = long_event(world)
    # words 150 to 199 are in chunks 0 and 1, words 300 to 349 in chunks 1 and 2
    assert len(world.found("w175")) == len(world.found("w325")) == 2

    edit = world.edit(recorded["chunk_ids"][1], op, **patch)

    for word in ("w175", "w325", "w250"):
        assert world.found(word) == [], word
        assert world.found(word, channel="private") == [], word
    assert len(world.found("w100")) == len(world.found("w400")) == 1
    shown = world.alice.ok("post", "chunks/get", {"chunk_ids": recorded["chunk_ids"][::2]})["chunks"]
    assert [chunk["text"].split()[-1] for chunk in shown] == ["w149", "w449"]
    assert [chunk["text"].split()[0] for chunk in shown] == ["w0", "w350"]
    with world.inside():
        rows = EffectiveChunk.objects.filter(tenant_id=world.tenant_id, event_id=recorded["event_id"])
        assert rows.filter(edits_applied=0).count() == 2

    world.edit(recorded["chunk_ids"][1], "revert", edit_id=edit["edit_id"])
    assert len(world.found("w175")) == len(world.found("w325")) == 2


def test_a_chunk_keeps_only_its_own_words_beside_a_retracted_one(world):
    # the second chunk is words 150 to 220: all but the last 21 are the first one's too
    recorded = long_event(world, 221)
    first, second = recorded["chunk_ids"]
    world.edit(first, "retract")
    assert [
        chunk["text"] for chunk in world.alice.ok("post", "chunks/get", {"chunk_ids": [first, second]})["chunks"]
    ] == [" ".join(f"w{number}" for number in range(200, 221))]


def test_both_neighbours_edited(world):
    recorded = long_event(world)
    first, middle, last = recorded["chunk_ids"]
    world.edit(first, "retract")
    world.edit(last, "quarantine")

    (shown,) = world.alice.ok("post", "chunks/get", {"chunk_ids": [middle]})["chunks"]
    assert (shown["text"].split()[0], shown["text"].split()[-1]) == ("w200", "w299")


def test_lists_of_events_narrow_and_page(world):
    for number in range(5):
        world.event(f"{number}", session_id=f"session-{number % 2}", kind="message")
    world.event(kind="decision", content={"decision": "x"}, actor_id="somebody")

    def texts(query):
        return [event["content"]["text"] for event in world.alice.ok("get", f"events?{query}")["results"]]

    assert texts("kind=message") == ["4", "3", "2", "1", "0"]
    assert texts("session_id=session-1&kind=message") == ["3", "1"]
    assert len(texts("actor_id=somebody")) == 1
    page = world.alice.ok("get", "events?limit=4")
    assert len(page["results"]) == 4
    rest = world.alice.ok("get", f"events?limit=4&cursor={page['next']}")
    assert (len(rest["results"]), rest["next"]) == (2, None)


def test_events_of_other_channels_are_not_listed(world, agent_in):
    world.event("team", channel="team")
    world.event("public", channel="public")

    assert [e["content"]["text"] for e in agent_in("public").ok("get", "events")["results"]] == ["public"]
    assert agent_in("public").get("events?channel=team").status_code == 403
    assert [e["content"]["text"] for e in world.alice.ok("get", "events?channel=team")["results"]] == ["team"]


def test_one_event_by_its_id_is_judged_by_the_keys_channels_block_and_sensitivity(world, agent_in):
    recorded = world.event("team", channel="team")
    secret = world.event("team, secret", channel="team", sensitivity="high")

    speaker = agent_in("public", "team")
    assert read(world, recorded, by=speaker, channel="public")["content"]["text"] == "team"
    assert read(world, secret, by=speaker, channel="public")["withheld"] == "sensitivity"
    assert agent_in("public").get(f"events/{recorded['event_id']}").status_code == 404


def test_reading_a_page_of_events_takes_as_many_queries_as_reading_one(world, django_assert_max_num_queries):
    for _ in range(20):
        world.event(kind="decision", content={"decision": "x"})
    with django_assert_max_num_queries(10):
        assert len(world.alice.ok("get", "events")["results"]) == 20
