"""The sample data keeps its shape and its promises. No database."""

import base64
import binascii
import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.pure

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
FILES = ("helpdesk.jsonl", "coding-agent.jsonl")
REQUIRED = {"source_id", "ts", "session_id", "channel", "actor_type", "actor_id", "kind", "content"}
OPTIONAL = {"sensitivity", "tags", "refs"}
ENUMS = {
    "channel": {"private", "public", "team", "agent"},
    "actor_type": {"human", "agent", "tool"},
    "kind": {"message", "tool_call", "tool_result", "decision", "task_update", "artifact"},
    "sensitivity": {"none", "low", "high", "secret"},
}
SCOPES = {"session", "user", "project", "policy", "global"}
CORRECTION = {"source_id", "file", "op", "reason", "patch", "query", "gone", "found"}
PATCHES = {  # the keys a patch may have, and those of which it must have one
    "amend": ({"text", "importance"}, {"text"}),
    "retract": (set(), set()),
    "quarantine": (set(), set()),
    "attenuate": ({"importance", "importance_delta"}, {"importance", "importance_delta"}),
    "block": ({"channel"}, {"channel"}),
}


def read(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (SAMPLES / name).read_text(encoding="utf-8").splitlines()]


EVENTS = {name: read(name) for name in FILES}
CORRECTIONS: list[dict[str, Any]] = json.loads((SAMPLES / "corrections.json").read_text(encoding="utf-8"))
BY_ID = {event["source_id"]: event for name in FILES for event in EVENTS[name]}


def text_of(event: dict[str, Any]) -> str:
    """The words that a correction of this event replaces."""
    content = event["content"]
    if event["kind"] == "task_update":
        return f"{content['title']}\n{content['details']}"
    return str(content["decision" if event["kind"] == "decision" else "text"])


def words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))


def says(text: str, phrase: str) -> bool:
    """Whether a full-text search for the phrase could match the text: all its words occur, in any order."""
    return words(phrase) <= words(text)


def effective(event: dict[str, Any]) -> str | None:
    """What is left of an event, for a reader in any channel, once every correction is applied."""
    for correction in CORRECTIONS:
        if correction["source_id"] == event["source_id"]:
            if correction["op"] == "amend":
                return str(correction["patch"]["text"])
            if correction["op"] != "attenuate":
                return None
    lists = (event["content"].get(key, []) for key in ("rationale", "constraints", "alternatives"))
    return " ".join([text_of(event), *(part for parts in lists for part in parts)])


def test_every_event_has_the_shape() -> None:
    for name, event in BY_ID.items():
        assert event.keys() >= REQUIRED, name
        assert event.keys() <= REQUIRED | OPTIONAL, name
        for key, allowed in ENUMS.items():
            assert key not in event or event[key] in allowed, (name, key)
        for key in ("source_id", "session_id", "actor_id"):
            assert re.fullmatch(r"[a-z0-9][a-z0-9-]{1,63}", event[key]), (name, key)
        for key in ("tags", "refs"):
            values = event.get(key, ["-"])
            assert values, (name, key)
            assert all(isinstance(value, str) and value for value in values), (name, key)
        ts = datetime.strptime(event["ts"], "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
        assert ts < datetime.now(UTC), name


def test_every_content_has_the_shape() -> None:
    for name, event in BY_ID.items():
        content = event["content"]
        assert content["scope"] in SCOPES, name
        has_subject = ("subject_type" in content, "subject_id" in content)
        assert has_subject == (content["scope"] == "user",) * 2, name
        assert content.get("subject_type", "user") == "user", name
        assert ("project_id" in content) == (content["scope"] == "project"), name
        for value in (content.get(key) for key in ("text", "decision", "title", "details", "name")):
            assert value is None or (isinstance(value, str) and value.strip() == value and value), name


def test_every_content_has_the_fields_of_its_kind() -> None:
    for name, event in BY_ID.items():
        kind, content = event["kind"], event["content"]
        if kind == "decision":
            assert content["decision"], name
            assert content["rationale"], name
            for key in ("rationale", "constraints", "alternatives"):
                assert all(isinstance(part, str) and part for part in content[key]), (name, key)
            assert "supersedes" not in content, name
        elif kind == "task_update":
            assert content["title"], name
            assert content["details"], name
            assert content["status"] in {"open", "doing", "done"}, name
            assert "task_id" not in content, name
        elif kind == "artifact":
            assert content["name"], name
            assert re.fullmatch(r"\w+/[\w.+-]+", content["media_type"]), name
            assert ("text" in content) != ("data" in content), name
            if "data" in content:
                try:
                    base64.b64decode(content["data"], validate=True)
                except binascii.Error as error:
                    pytest.fail(f"{name} is not base64: {error}")
        else:
            assert content["text"], name
            assert ("tool" in content) == (kind in {"tool_call", "tool_result"}), name
            assert isinstance(content.get("exit_code", 0), int), name
            assert ("exit_code" in content) == (kind == "tool_result"), name


@pytest.mark.parametrize("name", FILES)
def test_events_are_in_time_order(name: str) -> None:
    times = [event["ts"] for event in EVENTS[name]]
    assert times == sorted(times)


@pytest.mark.parametrize(("name", "events", "sessions"), [(FILES[0], 220, 12), (FILES[1], 180, 8)])
def test_corpus_is_large_enough(name: str, events: int, sessions: int) -> None:
    assert len(EVENTS[name]) >= events
    assert len({event["session_id"] for event in EVENTS[name]}) >= sessions
    assert {event["kind"] for event in EVENTS[name]} == ENUMS["kind"]


def test_source_ids_are_unique() -> None:
    assert len(BY_ID) == sum(len(events) for events in EVENTS.values())


def test_no_two_events_say_the_same() -> None:
    texts = [text_of(event) for event in BY_ID.values() if event["kind"] != "tool_result"]
    assert len(set(texts)) == len(texts)


def test_some_events_are_long_enough_to_be_chunked() -> None:
    assert sum(len(text_of(event).split()) > 250 for event in BY_ID.values()) >= 3


def test_an_actor_keeps_its_type() -> None:
    types: dict[str, set[str]] = {}
    for event in BY_ID.values():
        types.setdefault(event["actor_id"], set()).add(event["actor_type"])
    assert {actor: kinds for actor, kinds in types.items() if len(kinds) > 1} == {}


def test_there_are_corrections_of_every_op() -> None:
    ops = [correction["op"] for correction in CORRECTIONS]
    assert len(ops) >= 8
    assert ops.count("amend") >= 3
    assert ops.count("retract") >= 2
    assert set(ops) == set(PATCHES)
    assert len({correction["source_id"] for correction in CORRECTIONS}) == len(ops)


def test_every_correction_has_the_shape() -> None:
    for correction in CORRECTIONS:
        name = correction["source_id"]
        assert correction.keys() == CORRECTION, name
        assert len(correction["reason"].split()) >= 5, name
        assert any(event["source_id"] == name for event in EVENTS[correction["file"]]), name
        patch = correction["patch"]
        allowed, one_of = PATCHES[correction["op"]]
        assert patch.keys() <= allowed, name
        assert not one_of or patch.keys() & one_of, name
        assert 0 <= patch.get("importance", 0) <= 1, name
        assert -1 <= patch.get("importance_delta", 0) <= 1, name
        assert patch.get("channel", "public") in ENUMS["channel"], name


def test_every_correction_makes_a_difference() -> None:
    """The query finds the event before; afterwards `gone` is found nowhere, and `found` is in the event."""
    for correction in CORRECTIONS:
        name, op = correction["source_id"], correction["op"]
        event = BY_ID[name]
        original = text_of(event)
        assert event.get("sensitivity") != "secret", name
        assert says(original, correction["query"]), name
        if op == "attenuate":
            assert correction["gone"] is None, name
            assert correction["found"] in original, name
        else:
            assert correction["gone"] in original, name
            left = [other for other in BY_ID.values() if says(effective(other) or "", correction["gone"])]
            assert [other["source_id"] for other in left] == [], name
        if op == "amend":
            amended = correction["patch"]["text"]
            assert amended != original, name
            assert correction["gone"] not in amended, name
            assert correction["found"] in amended, name
            assert not says(original, correction["found"]), name
            assert says(amended, correction["query"]), name
        elif op != "attenuate":
            assert correction["found"] is None, name
        if op == "block":
            assert correction["patch"]["channel"] == event["channel"], name


def test_readme_lists_every_correction() -> None:
    readme = (SAMPLES / "README.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `([a-z0-9-]+)` \|.*\| (\w+)[ (|]", readme, re.MULTILINE)
    assert sorted(listed) == sorted((c["source_id"], c["op"]) for c in CORRECTIONS)
    for name in FILES:
        sessions = len({event["session_id"] for event in EVENTS[name]})
        assert f"{len(EVENTS[name])} events in {sessions} sessions" in readme
