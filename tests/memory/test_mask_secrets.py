"""Secrets are masked before anything is stored, or what contains them is refused."""

import base64

import pytest

from governance.models import Entry
from memory.drafts import EventDraft, Rows, add_event
from memory.models import Event
from tests.factories import EventFactory, SummaryFactory
from tests.memory.recording import body, chunks, counts, read, refused


def test_secrets_are_taken_out_before_storage(world):
    key = "sut_0123abcd_" + "A" * 43
    recorded = world.event(f"use {key} please", content={"data": {"here": [key]}})

    event = read(world, recorded)
    assert key not in str(event)
    assert event["redacted"] == ["suture key"]
    assert key not in str(chunks(world, recorded))
    assert world.found("please") == [
        "use [redacted: suture key] please\n\ndata:\n  here:\n    - [redacted: suture key]"
    ]


def test_secrets_are_taken_out_of_names_tags_references_and_base64(world):
    key = "sut_0123abcd_" + "A" * 43
    encoded = base64.b64encode(f"key: {key}".encode()).decode()
    recorded = world.event(
        f"see {encoded}",
        content={"data": {key: 1, "card": 4111111111111111}},
        tags=[key, "plain"],
        refs=[f"https://x/{key}"],
    )

    event = read(world, recorded)

    assert event["redacted"] == ["card number", "suture key"]
    for secret in (key, encoded, "4111111111111111"):
        assert secret not in str(event)
    with world.inside():
        recorded_row = Event.objects.get(id=recorded["event_id"])
    assert recorded_row.tags == ["[redacted: suture key]", "plain"]
    assert recorded_row.refs == ["https://x/[redacted: suture key]"]


@pytest.mark.pure
def test_masked_secrets_are_counted_by_kind():
    key, token = "sut_0123abcd_" + "A" * 43, "ghp_" + "a1" * 18
    encoded = base64.b64encode(f"key: {key}".encode()).decode()
    content = {
        "text": f"{key}, {key} and {token}; password: hunter2222",
        "data": {key: 1, "card": 4111111111111111, "DB_PASSWORD": "hunter2222", "in": [encoded]},
    }
    draft = EventDraft.from_body(body(content=content, tags=[key], refs=[f"https://x/{token}"]))

    recorded = add_event(draft, rows := Rows())

    assert recorded.redacted == {"suture key": 5, "github token": 2, "password": 2, "card number": 1}
    assert rows.events[0]["redacted"] == ["card number", "github token", "password", "suture key"]
    for secret in (key, token, encoded, "hunter2222", "4111111111111111"):
        assert secret not in str(rows)


@pytest.mark.pure
def test_the_same_secret_in_an_artifacts_data_and_text_counts_twice():
    key = "sut_0123abcd_" + "A" * 43
    data = base64.b64encode(f"key: {key}".encode()).decode()
    content = {"name": key, "media_type": "text/plain", "data": data}

    assert add_event(EventDraft.from_body(body(kind="artifact", content=content)), Rows()).redacted == {"suture key": 2}


def test_an_artifacts_data_is_looked_at_or_the_answer_says_that_it_is_not(world):
    key = "sut_0123abcd_" + "A" * 43
    artifact = {"name": "a file", "media_type": "text/plain"}
    encoded = base64.b64encode(f"key: {key}".encode()).decode()
    picture = base64.b64encode(b"\x89PNG\xff").decode()

    said, opaque = (
        read(world, world.alice.ok("post", "events", body(kind="artifact", content={**artifact, "data": data})))
        for data in (encoded, picture)
    )

    assert said["redacted"] == ["suture key"]
    assert base64.b64decode(said["content"]["data"]).decode() == "key: [redacted: suture key]"
    assert opaque["redacted"] == ["not looked at: data"]
    assert opaque["content"]["data"] == picture


@pytest.mark.parametrize("name", ["session_id", "actor_id", "subject_id", "subject_type", "project_id"])
def test_a_secret_in_an_identifier_is_refused(world, name):
    key = "ghp_" + "a1" * 18
    whole = {"subject_type": "user", "subject_id": "jack"} if name.startswith("subject") else {}
    before = counts(world)

    refused(world.alice.post("events", EventFactory(**{**whole, name: key})), f"#/{name}")
    refused(world.alice.post("events/batch", {"events": [EventFactory(**{**whole, name: key})]}), f"#/events/0/{name}")
    if name not in ("session_id", "actor_id"):
        content = {"text": "hello", **whole, name: key}
        refused(world.alice.post("events", EventFactory(content=content)), f"#/content/{name}")
    if name != "actor_id":
        refused(world.alice.post("chunks/summary", SummaryFactory(**{name: key})), f"#/{name}")

    assert counts(world) == before


def test_secrets_are_taken_out_of_reasons_too(world):
    key = "sut_0123abcd_" + "A" * 43
    edit = world.edit(world.chunk(), "quarantine", by=world.alice, reason=f"{key} leaked")["edit_id"]
    world.bob.decide(edit, reason=f"indeed, {key}")

    assert key not in str(world.bob.ok("get", f"edits/{edit}"))
    # and the ledger, from which nothing can be taken out
    with world.inside():
        said = b"".join(bytes(entry.canonical) for entry in Entry.objects.filter(tenant_id=world.tenant_id))
    assert key.encode() not in said
    assert b"leaked" in said
