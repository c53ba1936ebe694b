"""Recording events: what is kept, what derives from it, and all or nothing."""

import base64
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from memory.models import Task
from tests.memory.recording import body, chunks, counts, read, refused


def test_it_works(world):
    response = world.alice.post("events", body(tags=["a"], refs=["https://example.org/1"], sensitivity="low"))

    assert response.status_code == 201
    recorded = response.json()
    assert set(recorded) >= {"event_id", "ts", "status", "chunk_ids", "decision_id", "task_id", "artifact_id"}
    assert recorded["status"] == "recorded"
    event = read(world, recorded)
    assert event["content"] == {"text": "The quick brown fox", "scope": "session"}
    assert (event["tags"], event["refs"], event["sensitivity"]) == (["a"], ["https://example.org/1"], "low")
    assert event["recorded_by"] == "alice"
    assert event["chunk_ids"] == recorded["chunk_ids"]
    (chunk,) = chunks(world, recorded)
    assert (chunk["text"], chunk["importance"], chunk["tier"]) == ("The quick brown fox", 0.5, "task")
    assert (chunk["edits_applied"], chunk["is_quarantined"], chunk["source"]) == (0, False, "event")


def test_who_recorded_comes_from_the_key_and_not_from_the_body(world):
    recorded = world.bob.ok("post", "events", body(actor_id="somebody", actor_type="human"))

    event = read(world, recorded)
    assert (event["actor_id"], event["recorded_by"]) == ("somebody", world.bob_name)
    refused(world.alice.post("events", body(recorded_by="bob")), "#/recorded_by")


def test_an_auditor_records_nothing(world):
    assert world.auditor.post("events", body()).status_code == 403
    assert world.auditor.post("events/batch", {"events": [body()]}).status_code == 403
    assert counts(world) == [0] * 6


def test_free_data_comes_back_unchanged(world):
    data = {
        "nested": {"list": [1, 2.5, None, True, {"deep": "é\u0001\n"}], "empty": {}},
        "big": 9_007_199_254_740_993,
        "0": "",
        "Ключ": ["漢字"],
    }
    content = {"text": "x", "lang": "de-CH", "data": data}
    assert read(world, world.alice.ok("post", "events", body(content=content)))["content"] == {
        **content,
        "scope": "session",
    }


SCOPES: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({}, {}, "session"),
    ({}, {"subject_type": "user", "subject_id": "jack"}, "user"),
    ({}, {"project_id": "alpha"}, "project"),
    ({}, {"project_id": "alpha", "subject_type": "user", "subject_id": "jack"}, "user"),
    ({"kind": "decision"}, {"decision": "Yes"}, "policy"),
    ({"kind": "decision"}, {"decision": "Yes", "project_id": "alpha"}, "project"),
    ({"kind": "decision"}, {"decision": "Yes", "subject_type": "user", "subject_id": "jack"}, "user"),
    ({}, {"scope": "global"}, "global"),
    ({"scope": "project"}, {"scope": "global"}, "project"),
    ({"scope": None}, {"scope": "global"}, "global"),
    ({"subject_type": "user", "subject_id": "jack"}, {}, "user"),
    ({"project_id": "alpha"}, {}, "project"),
]


def test_a_scope_is_always_recorded(world):
    for fields, content, scope in SCOPES:
        recorded = world.alice.ok("post", "events", body(content={"text": "x", **content}, **fields))

        assert read(world, recorded)["scope"] == scope, (fields, content)
        assert {chunk["scope"] for chunk in chunks(world, recorded)} == {scope}, (fields, content)


def test_the_bodys_scope_fields_win_over_the_contents(world):
    content = {"text": "x", "subject_type": "user", "subject_id": "jane", "project_id": "beta"}
    recorded = world.alice.ok("post", "events", body(content=content, subject_id="jack", project_id="alpha"))

    event = read(world, recorded)
    assert (event["subject_type"], event["subject_id"], event["project_id"]) == ("user", "jack", "alpha")


@pytest.mark.parametrize(
    ("fields", "content", "pointer"),
    [
        ({}, {"subject_type": "user"}, "#/content/subject_id"),
        ({}, {"subject_id": "jack"}, "#/content/subject_type"),
        ({"subject_type": "user"}, {}, "#/subject_id"),
        ({"subject_id": "jack"}, {}, "#/subject_type"),
    ],
)
def test_a_subject_is_whole(world, fields, content, pointer):
    refused(world.alice.post("events", body(content={"text": "x", **content}, **fields)), pointer)
    assert counts(world) == [0] * 6


def test_a_decision_is_derived(world):
    recorded = world.event(
        "We will use PostgreSQL",
        kind="decision",
        content={"decision": "Use PostgreSQL", "rationale": ["row security"], "alternatives": ["SQLite"]},
    )

    assert recorded["decision_id"]
    assert (recorded["task_id"], recorded["artifact_id"]) == (None, None)
    event = read(world, recorded)
    assert event["decision_id"] == recorded["decision_id"]
    assert event["content"]["rationale"] == ["row security"]
    (chunk,) = chunks(world, recorded)
    assert chunk["importance"] == 1.0
    assert chunk["text"] == (
        "We will use PostgreSQL\n\ndecision: Use PostgreSQL\nrationale:\n  - row security\nalternatives:\n  - SQLite"
    )


def test_a_typed_record_without_text_is_found_by_its_own_words(world):
    for kind, content, text in (
        ("decision", {"decision": "Adopt zebras"}, "Adopt zebras"),
        ("task_update", {"title": "Feed zebras", "status": "open"}, "Feed zebras"),
        ("task_update", {"title": "Walk", "details": "zebras", "status": "open"}, "Walk\n\nzebras"),
        ("artifact", {"name": "zebras.bin", "media_type": "image/png", "data": "AAAA"}, "zebras.bin"),
    ):
        recorded = world.alice.ok("post", "events", body(kind=kind, content=content))
        assert [chunk["text"] for chunk in chunks(world, recorded)] == [text]


def test_a_task_is_opened_and_updated_by_its_id(world):
    opened = world.event(kind="task_update", content={"title": "Ship", "status": "open"})
    updated = world.event(kind="task_update", content={"title": "Ship", "status": "done", "task_id": opened["task_id"]})

    assert opened["task_id"] == updated["task_id"]
    assert chunks(world, opened)[0]["importance"] == 0.8
    with world.inside():
        assert Task.objects.filter(tenant_id=world.tenant_id, task_id=opened["task_id"]).count() == 2


def test_an_artifact_has_text_or_data(world):
    data = base64.b64encode(b"\x89PNG").decode()
    recorded = world.alice.ok(
        "post", "events", body(kind="artifact", content={"name": "p.png", "media_type": "image/png", "data": data})
    )
    assert recorded["artifact_id"]
    assert read(world, recorded)["content"]["data"] == data

    for content in (
        {"name": "x", "media_type": "text/plain"},
        {"name": "x", "media_type": "text/plain", "text": "x", "data": data},
    ):
        refused(world.alice.post("events", body(kind="artifact", content=content)), "#/content/text")
    content = {"name": "x", "media_type": "text/plain", "data": "not base64!"}
    refused(world.alice.post("events", body(kind="artifact", content=content)), "#/content/data")


WRONG_CONTENT = [
    ("decision", {"text": "x"}, ["#/content/decision"]),
    ("decision", {"decision": "x", "rationale": "because"}, ["#/content/rationale"]),
    ("decision", {"decision": "x", "supersedes": "the old one"}, ["#/content/supersedes"]),
    ("decision", {"decision": "x", "supersedes": "00000000-0000-7000-8000-000000000000"}, ["#/content/supersedes"]),
    ("task_update", {"text": "x"}, ["#/content/title", "#/content/status"]),
    ("task_update", {"title": "x", "status": "late"}, ["#/content/status"]),
    (
        "task_update",
        {"title": "x", "status": "open", "task_id": "00000000-0000-7000-8000-000000000000"},
        ["#/content/task_id"],
    ),
    ("artifact", {"name": "x", "media_type": "png", "text": ""}, ["#/content/media_type"]),
    ("message", {"text": 5}, ["#/content/text"]),
    ("message", {"text": "bell \u0007"}, ["#/content/text"]),
    ("message", {"text": "x", "scope": "everything"}, ["#/content/scope"]),
    ("message", {"text": "x", "subject_type": "user", "subject_id": "j" * 201}, ["#/content/subject_id"]),
]


def test_the_content_of_each_kind_is_checked(world):
    for kind, content, pointers in WRONG_CONTENT:
        refused(world.alice.post("events", body(kind=kind, content=content)), *pointers)
        assert counts(world) == [0] * 6, (kind, content)


def test_another_tenants_decision_or_task_cannot_be_named(world, elsewhere):
    decision = elsewhere.event(kind="decision", content={"decision": "x"})["decision_id"]
    task = elsewhere.event(kind="task_update", content={"title": "x", "status": "open"})["task_id"]

    for kind, content, pointer in (
        ("decision", {"decision": "x", "supersedes": decision}, "#/content/supersedes"),
        ("task_update", {"title": "x", "status": "done", "task_id": task}, "#/content/task_id"),
    ):
        refused(world.alice.post("events", body(kind=kind, content=content)), pointer)
    assert counts(world) == [0] * 6


def test_a_batch_is_recorded_in_order(world):
    moments = [f"2025-01-0{day}T00:00:00Z" for day in (3, 1, 2)]

    answer = world.alice.ok(
        "post", "events/batch", {"events": [body(f"event {moment}", ts=moment) for moment in moments]}
    )

    assert [event["ts"] for event in answer["events"]] == moments
    assert [read(world, event)["content"]["text"] for event in answer["events"]] == [f"event {m}" for m in moments]


@pytest.mark.parametrize(
    ("bad", "pointer"),
    [
        ({"kind": "rumour"}, "#/events/1/kind"),
        ({"surprise": 1}, "#/events/1/surprise"),
        ({"content": {"text": "x", "subject_id": "jack"}}, "#/events/1/content/subject_type"),
        ({"content": {"text": 1}}, "#/events/1/content/text"),
        (
            {"kind": "decision", "content": {"decision": "x", "supersedes": "00000000-0000-7000-8000-000000000000"}},
            "#/events/1/content/supersedes",
        ),
    ],
)
def test_one_bad_event_in_a_batch_stops_all_and_is_pointed_at(world, bad, pointer):
    response = world.alice.post("events/batch", {"events": [body("one"), body("two", **bad), body("three")]})

    refused(response, pointer)
    assert counts(world) == [0] * 6


def test_a_channel_outside_the_keys_stops_the_batch_too(world, agent_in):
    speaker = agent_in("public")

    response = speaker.post("events/batch", {"events": [body(channel="public"), body(channel="team")]})

    refused(response, "#/events/1/channel", status=403)
    assert counts(world) == [0] * 6
    assert speaker.post("events", body(channel="public")).status_code == 201


@pytest.mark.parametrize("events", [[], [body()] * 1001])
def test_a_batch_has_1_to_1000_events(world, events):
    assert world.alice.post("events/batch", {"events": events}).status_code == 400
    assert counts(world) == [0] * 6


def test_a_thousand_events_are_one_call(world):
    answer = world.alice.ok("post", "events/batch", {"events": [body(f"event {number}") for number in range(1000)]})

    assert len({event["event_id"] for event in answer["events"]}) == 1000
    assert counts(world)[:3] == [1000, 1000, 1000]


def test_time_is_now_unless_an_import_says_when(world):
    before = timezone.now()
    now = world.alice.ok("post", "events", body())
    assert before <= datetime.fromisoformat(now["ts"]) <= timezone.now()

    past = world.alice.ok("post", "events", body(ts="2020-02-29T12:00:00+02:00"))
    assert past["ts"] == "2020-02-29T10:00:00Z"
    assert chunks(world, past)[0]["ts"] == "2020-02-29T10:00:00Z"


@pytest.mark.parametrize(
    "ts", ["tomorrow", "2020-02-30T00:00:00Z", "2020-01-01T00:00:00", "9999-12-31T23:59:59-12:00", 1_600_000_000, ""]
)
def test_a_time_is_iso_8601_with_an_offset(world, ts):
    refused(world.alice.post("events", body(ts=ts)), "#/ts")


def test_a_time_does_not_lie_in_the_future(world):
    refused(world.alice.post("events", body(ts=(timezone.now() + timedelta(minutes=2)).isoformat())), "#/ts")


def test_a_split_sentence_is_logged(world, caplog):
    with caplog.at_level("WARNING", logger="suture.recording"):
        recorded = world.event("word " * 400)

    said = [record for record in caplog.records if record.name == "suture.recording"]
    assert [one.getMessage() for one in said] == [
        "Chunk split mid-sentence at word 200",
        "Chunk split mid-sentence at word 350",
    ]
    assert {one.event_id for one in said} == {recorded["event_id"]}


def test_a_long_text_becomes_overlapping_chunks(world):
    words = [f"w{number}" for number in range(450)]

    recorded = world.event(" ".join(words))

    texts = [chunk["text"].split() for chunk in chunks(world, recorded)]
    assert texts == [words[:200], words[150:350], words[300:450]]
    assert read(world, recorded)["content"]["text"] == " ".join(words)


def test_spans_count_characters_whatever_their_bytes(world):
    words = [f"Ünïcödé😀{number}" for number in range(250)]

    recorded = world.event(" ".join(words))

    assert [chunk["text"].split() for chunk in chunks(world, recorded)] == [words[:200], words[150:]]


def test_a_text_without_spaces_is_recorded_whatever_its_length(world):
    # one "word" of a million characters, with more lexemes in it than a search vector holds
    text = ",".join(f"{number:x}" for number in range(160_000))[:1_000_000]

    recorded = world.alice.post("events", body(text))

    assert recorded.status_code == 201, recorded.content[:500]
    assert "".join(chunk["text"] for chunk in chunks(world, recorded.json())).startswith(text[:1000])
    assert len(world.alice.ok("post", "chunks/search", {"query": "1f"})["chunks"]) >= 1


@pytest.mark.parametrize("field", ["session_id", "channel", "actor_type", "actor_id", "kind", "content"])
def test_what_is_needed_is_asked_for(world, field):
    without = body()
    del without[field]
    refused(world.alice.post("events", without), f"#/{field}")
    refused(
        world.alice.post("events", body(**({field: None} if field != "content" else {})) | {field: None}), f"#/{field}"
    )
    assert counts(world) == [0] * 6
