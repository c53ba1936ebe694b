"""Event lines into a tenant: all of them, each once, whatever interrupts."""

import io
import json
import re
import sys
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from bench.corpora import locomo
from governance.models import Agent
from memory import event_body, importing
from memory.models import Event
from memory.models.scoped import Kind
from memory.services import recording
from tests.factories import EventFactory
from tests.owning import as_owner


def line(text: str, **fields: Any) -> dict[str, Any]:
    said = {"ts": "2026-01-31T12:00:00Z", "actor_type": "human", "actor_id": "ann", "content": {"text": text}}
    body: dict[str, Any] = EventFactory(**{**said, **fields})
    return body


def lines(count: int) -> list[dict[str, Any]]:
    return [line(f"Note {number}", source_id=f"note-{number}") for number in range(count)]


@pytest.fixture
def write(tmp_path):
    """Write lines, objects or ready text, to a file and answer its path."""

    def write(rows: list[Any], name: str = "events.jsonl") -> Path:
        path: Path = tmp_path / name
        path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows))
        return path

    return write


@pytest.fixture
def load(world):
    """Run the command as alice; answers what it printed."""

    def load(file: Any, **options: Any) -> str:
        output = io.StringIO()
        call_command("load_events", str(file), tenant=world.slug, agent="alice", stdout=output, **options)
        return output.getvalue()

    return load


def recorded(world) -> int:
    with world.inside():
        return Event.objects.filter(tenant_id=world.tenant_id).count()


def test_it_works(world, load, write):
    printed = load(write(lines(3)))

    assert printed.startswith("recorded 3, skipped 0, ")
    assert len(printed.splitlines()) == 1
    assert "Note 1" in world.found("note")
    (event,) = [event for event in world.alice.ok("get", "events")["results"] if event["content"]["text"] == "Note 2"]
    assert event["ts"] == "2026-01-31T12:00:00Z"
    assert event["recorded_by"] == "alice"


def test_loading_twice_adds_nothing(world, load, write):
    path = write([*lines(3), line("no name"), *(line("alike") for _ in range(2))])
    load(path, batch=2)

    assert load(path).startswith("recorded 0, skipped 6, ")
    assert recorded(world) == 6


def test_a_line_without_source_id_is_known_by_all_it_says_however_it_is_written(world, load, write):
    load(write([line("one"), line("one")]))
    reordered = dict(reversed(line("one").items()))

    assert load(write([json.dumps(reordered, indent=None, separators=(" , ", " : "))])).startswith("recorded 0, ")
    assert load(write([line("one", tags=["new"])])).startswith("recorded 1, ")


def test_a_source_id_names_one_event(world, load, write):
    assert load(write([line(text, source_id="a") for text in ("first", "second")])).startswith(
        "recorded 1, skipped 1, "
    )
    assert world.found("first OR second") == ["first"]


def test_an_interrupted_load_continues(world, load, write, monkeypatch):
    path = write(lines(10))
    record = recording.record_events
    calls: list[int] = []

    def interrupted(*args: Any, **kwargs: Any) -> Any:
        calls.append(1)
        done = record(*args, **kwargs)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return done

    monkeypatch.setattr(recording, "record_events", interrupted)
    with pytest.raises(SystemExit) as exit_:
        load(path, batch=2)
    assert exit_.value.code == 130
    assert recorded(world) == 4  # two whole batches

    assert load(path, batch=3).startswith("recorded 6, skipped 4, ")
    assert recorded(world) == 10


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (line("", content={"text": 5}), r"/content/text: Not a valid string\."),
        (line("", content={"text": "nul \0"}), "/content/text: The text contains the NUL character"),
        (line("x", kind="rumour"), "/kind: "),
        (line("x", color="red"), r"/color: Unknown field\."),
        (line("x", ts="2026-01-31T12:00:00"), "/ts: A time zone offset is missing"),
        (line("x", ts="2999-01-31T12:00:00Z"), r"/ts: This time is in the future, by more"),
        (line("x", source_id=""), "/source_id: "),
        (line("x", subject_type="user"), "/subject_id: A subject needs both"),
        (line("x", content={"text": "x", "subject_id": "a"}), "/content/subject_type: A subject needs both"),
        ('{"ts": NaN, "5": 1}', "/ts: NaN is not a JSON number"),
        ('{"5": NaN}', "/5: NaN is not a JSON number"),
        ('{"a": 1, "a": 2}', "/a: This key is repeated"),
        ('{"a": ', r"Not valid JSON: .* \(column \d+\)\.$"),
        ("[]", "The body must be a JSON object"),
        ("\udcff", "The body is not UTF-8"),
        ({name: value for name, value in line("x").items() if name != "ts"}, "/ts: .*needs a ts or a source_id"),
        (
            line("x", kind="decision", content={"decision": "x", "supersedes": "019a0000-0000-7000-8000-000000000000"}),
            "/content/supersedes: The decision that you want to supersede does not exist",
        ),
    ],
)
def test_a_bad_line_names_its_place_and_leaves_earlier_batches(world, load, tmp_path, bad, message):
    path = tmp_path / "events.jsonl"
    bad = bad if isinstance(bad, str) else json.dumps(bad)
    good = [json.dumps(row) for row in lines(4)]
    text = "\n".join([*good[:3], "", bad, good[3]])  # a blank line counts as a line, and is none
    path.write_bytes(text.encode("utf-8", "surrogateescape"))

    with pytest.raises(CommandError, match=f"^{re.escape(str(path))}:5: {message}"):
        load(path, batch=2)
    assert recorded(world) == 2
    assert not world.found("Note", phrases=["Note 2"])


def test_a_line_over_the_size_of_a_body_is_refused(world, load, write, settings):
    settings.MAX_BODY_BYTES = 1_000

    with pytest.raises(CommandError, match=r"events.jsonl:2: The body is larger than 1000 bytes\."):
        load(write([*lines(1), line("x" * 2_000)]))


def test_a_channel_outside_the_agents_is_refused(world, load, write):
    with world.inside(), as_owner():
        Agent.objects.filter(tenant_id=world.tenant_id, slug="alice").update(channels=["public"])

    with pytest.raises(CommandError, match=r"events.jsonl:2: /channel: This key may not use"):
        load(write([line("x", channel="public"), line("y")]), check=True)


def test_checking_writes_nothing_and_reads_all(world, load, write):
    assert load(write(lines(5)), check=True, batch=2).startswith("checked 5, recorded nothing, ")
    with pytest.raises(CommandError, match=r"events.jsonl:6: /kind: "):
        load(write([*lines(5), line("x", kind="rumour")]), check=True)
    assert recorded(world) == 0


def test_standard_input(world, load, monkeypatch):
    text = "\n".join(json.dumps(row) for row in [*lines(2), line("x", kind="rumour")])

    def stdin(content: str) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content.encode())))

    stdin(text)
    with pytest.raises(CommandError, match=r"^stdin:3: /kind: "):
        load("-", batch=2)
    stdin("\n".join(text.splitlines()[:2]))
    assert load("-").startswith("recorded 0, skipped 2, ")


def test_lines_without_a_time_are_known_by_their_source_id(world, load, write):
    rows = [{name: value for name, value in row.items() if name != "ts"} for row in lines(2)]
    path = write(rows)
    load(path)

    assert load(path).startswith("recorded 0, skipped 2, ")


def test_a_corpus_of_evaluation_is_loaded_as_well(world, load, write):
    turns = [{"dia_id": "D1:3", "speaker": "Caroline", "text": "I went to a support group yesterday."}]
    conversation = {"session_1": turns, "session_1_date_time": "1:56 pm on 8 May, 2023"}
    load(write(list(locomo.conversation_events({"sample_id": "conv-26", "conversation": conversation, "qa": []}))))

    assert world.found("support group", subject_id="conv-26") == [turns[0]["text"]]
    (event,) = world.alice.ok("get", "events")["results"]
    moment = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
    assert event["event_id"] == str(importing.event_id(world.alice_principal, moment, "source", "conv-26:D1:3"))


def test_the_samples_load(world, load):
    for name, count in (("helpdesk.jsonl", 232), ("coding-agent.jsonl", 193)):
        path = Path(__file__).parents[2] / "samples" / name
        assert load(path).startswith(f"recorded {count}, skipped 0, ")


def test_ids_are_uuid7_of_the_events_time(world):
    moment = datetime.fromisoformat("2026-01-31T12:00:00.123456+00:00")
    made = importing.event_id(world.alice_principal, moment, "source", "a")

    assert (made.version, made.variant) == (7, "specified in RFC 4122")
    assert made.int >> 80 == int(moment.timestamp() * 1000)
    assert made == importing.event_id(world.alice_principal, moment, "source", "a")
    others = {
        importing.event_id(world.bob_principal, moment, "source", "a"),
        importing.event_id(world.alice_principal, moment, "source", "b"),
        importing.event_id(world.alice_principal, moment, "line", "a", 0),
        importing.event_id(world.alice_principal, moment, "line", "a", 1),
        importing.event_id(world.alice_principal, None, "source", "a"),
    }
    assert len({*others, made}) == 6
    assert importing.event_id(world.alice_principal, datetime.min.replace(tzinfo=UTC), "a", 1)


@pytest.mark.parametrize("name", ["tenant", "agent", "file"])
def test_what_is_not_there_is_one_clear_line(world, write, name):
    options = {"file": str(write(lines(1))), "tenant": world.slug, "agent": "alice", name: "nowhere"}

    with pytest.raises(CommandError, match="nowhere"):
        call_command("load_events", options["file"], tenant=options["tenant"], agent=options["agent"])


def test_a_big_batch_ends_early(world, load, write, monkeypatch):
    monkeypatch.setattr(importing, "BATCH_BYTES", 1_000)
    sizes: list[int] = []
    record = recording.record_events

    def counted(drafts: Any, **kwargs: Any) -> Any:
        sizes.append(len(drafts))
        return record(drafts, **kwargs)

    monkeypatch.setattr(recording, "record_events", counted)
    load(write([line("x" * 600, source_id=str(number)) for number in range(4)]))

    assert sizes == [2, 2]


@pytest.mark.django_db(transaction=True)
def test_loaders_of_the_same_file_at_once_record_each_event_once(world, write, at_once):
    content = write(lines(60)).read_bytes()
    actor = importing.agent_of(world.tenant_id, "alice")

    def load(batch: int) -> importing.Tally:
        tally = importing.Tally()
        importing.load_events(io.BytesIO(content), name="f", actor=actor, tally=tally, batch=batch)
        return tally

    # One's batch overlaps many of another's: it may be overtaken by each of them.
    tallies = at_once(*(partial(load, batch) for batch in (5, 5, 15, 60)))

    assert [tally.recorded + tally.skipped for tally in tallies] == [60] * 4
    assert sum(tally.recorded for tally in tallies) == recorded(world) == 60


@pytest.mark.django_db(transaction=True)
def test_a_loader_that_lost_the_race_asks_again(world, write, at_once, monkeypatch):
    """Without luck: the other loader commits just between this one's question and its insert."""
    content = write(lines(4)).read_bytes()
    actor = importing.agent_of(world.tenant_id, "alice")
    record = recording.record_events

    def other_loader() -> None:
        first_two = io.BytesIO(b"".join(content.splitlines(keepends=True)[:2]))
        importing.load_events(first_two, name="f", actor=actor, tally=importing.Tally())

    def overtaken(drafts: Any, **kwargs: Any) -> Any:
        monkeypatch.setattr(recording, "record_events", record)
        assert at_once(other_loader) == [None]
        return record(drafts, **kwargs)

    monkeypatch.setattr(recording, "record_events", overtaken)
    tally = importing.Tally()
    importing.load_events(io.BytesIO(content), name="f", actor=actor, tally=tally)

    assert (tally.recorded, tally.skipped) == (2, 2)
    assert recorded(world) == 4


FUTURE = "This time is in the future, by more than a minute. Correct your machine's clock, or leave it out."


@pytest.mark.parametrize(
    ("change", "pointer", "fault"),
    [
        (
            {"content": {"text": "Jon\x07"}},
            "/content/text",
            "Character 4 is the control character U+0007; only tab and line breaks are allowed.",
        ),
        (
            {"content": {"text": "x" * 1_000_001}},
            "/content/text",
            "Ensure this field has no more than 1000000 characters.",
        ),
        ({"session_id": "x" * 201}, "/session_id", "Ensure this field has no more than 200 characters."),
        ({"session_id": " "}, "/session_id", "This field may not be blank."),
        ({"actor_id": None}, "/actor_id", "This field may not be null."),
        ({"kind": "rumour"}, "/kind", f'"rumour" is not a valid choice. Choose one of: {", ".join(Kind.values)}.'),
        ({"color": "red"}, "/color", f"Unknown field. Allowed: {', '.join(event_body.BY_KIND['message'].fields)}."),
        ({"tags": ["x"] * 101}, "/tags", "Ensure this field has no more than 100 elements."),
        ({"tags": "x"}, "/tags", 'Expected a list of items but got type "str".'),
        ({"refs": ["x", 5]}, "/refs/1", "Not a valid string."),
        ({"content": []}, "/content", "Invalid data. Expected a dictionary, but got list."),
        ({"ts": "2999-01-31T12:00:00Z"}, "/ts", FUTURE),
        ({"subject_type": "user"}, "/subject_id", "A subject needs both subject_type and subject_id."),
        ({"kind": "decision"}, "/content/decision", "This field is required."),
        (
            {"kind": "task_update", "content": {"title": "x", "status": "lost"}},
            "/content/status",
            '"lost" is not a valid choice. Choose one of: open, doing, done.',
        ),
        (
            {"kind": "artifact", "content": {"name": "x", "media_type": "text/plain", "data": "?"}},
            "/content/data",
            "Not base64.",
        ),
    ],
)
def test_a_line_is_refused_in_the_words_of_the_api(world, load, write, change, pointer, fault):
    bad = {**line("x"), **change}

    by_api = world.alice.post("events", bad)
    in_a_batch = world.alice.post("events/batch", {"events": [line("y"), bad]})
    with pytest.raises(CommandError) as by_import:
        load(write([bad]))

    assert (by_api.status_code, in_a_batch.status_code) == (400, 400)
    (alone,), (second,) = by_api.json()["errors"], in_a_batch.json()["errors"]
    assert (alone["pointer"], alone["detail"]) == (f"#{pointer}", fault)
    assert (second["pointer"], second["detail"]) == (f"#/events/1{pointer}", fault)
    assert second["index"] == 1
    assert alone["code"] == second["code"]
    assert str(by_import.value).endswith(f":1: {pointer}: {fault}")
    assert recorded(world) == 0
