"""An outcome is recorded once for its reporter, chunk and session, and changes the confidence in the chunk."""

import uuid
from itertools import pairwise

import pytest

from governance.ledger import published_tree_heads
from memory.models import ChunkAccess, ConfidenceChange, Outcome
from tests.tools.calls import call, faults
from tests.world import Api

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])


def report(api: Api, chunk: str, outcome: str = "success", session_id: str | None = "s", status: int = 201, **fields):
    body = {"outcome": outcome, **({} if session_id is None else {"session_id": session_id}), **fields}
    answer = api.post(f"chunks/{chunk}/outcome", body)
    assert answer.status_code == status, answer.content
    return answer.json()


def use(api: Api, chunk: str):
    return api.ok("get", f"chunks/{chunk}/confidence")


def test_a_success_is_recorded_and_raises_the_confidence(world, rows_of, due):
    chunk = world.chunk()
    answer = report(world.alice, chunk, note="It helped")
    assert answer.pop("at")
    assert answer == {
        "chunk_id": chunk,
        "outcome": "success",
        "session_id": "s",
        "confidence": 0.65,
        "recorded": True,
        "status": "recorded",
    }
    (one,) = rows_of(Outcome)
    assert (one.outcome, one.session_id, one.note, one.reporter, one.version) == (
        "success",
        "s",
        "It helped",
        "alice",
        0,
    )
    (access,) = rows_of(ChunkAccess)
    assert (access.successes, access.failures, access.last_outcome_at) == (1, 0, one.at)
    assert due() == {chunk}


def test_the_version_is_that_of_the_words_now(world, rows_of):
    chunk = world.chunk()
    world.edit(chunk, "amend", text="A slow fox")
    report(world.alice, chunk)
    (one,) = rows_of(Outcome)
    assert one.version == 1


def test_the_same_outcome_again_is_already_recorded(world, rows_of):
    chunk = world.chunk()
    first = report(world.alice, chunk)
    again = report(world.alice, chunk, status=200, note="other words")
    assert again == {**first, "status": "already_recorded"}
    assert len(rows_of(Outcome)) == len(rows_of(ConfidenceChange)) == 1
    assert use(world.alice, chunk)["successes"] == 1


def test_other_sessions_other_reporters_and_the_other_outcome_count(world, given):
    chunk = world.chunk()
    report(world.alice, chunk)
    report(world.alice, chunk, session_id="t")
    report(given("agent-bob"), chunk)
    report(world.bob, chunk, "failure")
    found = use(world.alice, chunk)
    assert (found["successes"], found["failures"]) == (3, 1)


def test_the_header_names_the_session_and_the_field_wins(world):
    chunk = world.chunk()
    path, header = f"chunks/{chunk}/outcome", {"X-Session-Id": "of the header"}
    assert world.alice.ok("post", path, {"outcome": "success"}, **header)["session_id"] == "of the header"
    body = {"outcome": "success", "session_id": "of the field"}
    assert world.alice.ok("post", path, body, **header)["session_id"] == "of the field"


@pytest.mark.parametrize(
    ("body", "place"),
    [
        ({"outcome": "success"}, "#/session_id"),
        ({"session_id": "s"}, "#/outcome"),
        ({"outcome": "maybe", "session_id": "s"}, "#/outcome"),
        ({"outcome": "success", "session_id": ""}, "#/session_id"),
        ({"outcome": "success", "session_id": "x" * 201}, "#/session_id"),
        ({"outcome": "success", "session_id": "AKIAQ3EGRJXLZ5TPWX4N"}, "#/session_id"),
        ({"outcome": "success", "session_id": "s", "note": "x" * 2001}, "#/note"),
        ({"outcome": "success", "session_id": "s", "reporter": "bob"}, "#/reporter"),
    ],
)
def test_bad_input_is_refused_with_its_place(world, rows_of, body, place):
    assert list(faults(world.alice.post(f"chunks/{world.chunk()}/outcome", body))) == [place]
    assert rows_of(Outcome) == []


def test_secrets_in_a_note_are_masked(world, rows_of):
    report(world.alice, world.chunk(), note="key AKIAQ3EGRJXLZ5TPWX4N")
    (one,) = rows_of(Outcome)
    assert "AKIA" not in one.note


def test_a_chunk_that_the_reporter_does_not_get_is_not_found(world, charlie, agent_in, rows_of):
    chunk = world.chunk()
    secret = world.chunk("A fox", sensitivity="high")
    hidden = {op: world.chunk() for op in ("retract", "quarantine")}
    for op, one in hidden.items():
        world.edit(one, op)
    blocked = world.chunk(channel="team")
    world.edit(blocked, "block", channel="team")
    nothing = report(world.alice, str(uuid.uuid4()), status=404)
    for api, one in [
        (charlie, chunk),
        (agent_in("public"), chunk),  # recorded in private
        (agent_in("agent", "public"), secret),
        *((world.alice, one) for one in hidden.values()),
        (agent_in("team"), blocked),
    ]:
        refused = report(api, one, status=404)
        assert refused["detail"] == nothing["detail"]
    assert rows_of(Outcome) == []


def test_a_chunk_that_the_reporter_gets_in_one_of_its_channels_is_found(world):
    """alice's key speaks in every channel, and hears a chunk of high sensitivity in private."""
    report(world.alice, world.chunk("A fox", sensitivity="high"))
    blocked = world.chunk()
    world.edit(blocked, "block", channel="public")
    report(world.alice, blocked)


def test_an_auditor_reports_nothing(world, rows_of):
    report(world.auditor, world.chunk(), status=403)
    assert rows_of(Outcome) == []


def test_the_same_at_once_counts_once(world, rows_of, at_once):
    chunk = world.chunk()
    posts = [
        lambda: Api(world.keys["alice"]).post(f"chunks/{chunk}/outcome", {"outcome": "success", "session_id": "s"})
    ]
    answers = at_once(*posts * 4)
    assert sorted(one.status_code for one in answers) == [200, 200, 200, 201]
    assert len(rows_of(Outcome)) == len(rows_of(ConfidenceChange)) == 1
    assert use(world.alice, chunk)["successes"] == 1


def test_different_ones_at_once_all_count(world, rows_of, at_once):
    chunk = world.chunk()

    def of(session_id, outcome):
        body = {"outcome": outcome, "session_id": session_id}
        return lambda: Api(world.keys["alice"]).post(f"chunks/{chunk}/outcome", body)

    answers = at_once(of("a", "success"), of("b", "success"), of("c", "failure"), of("d", "success"))
    assert [one.status_code for one in answers] == [201] * 4
    found = use(world.alice, chunk)
    assert (found["successes"], found["failures"]) == (3, 1)
    changes = found["history"]
    assert [one["number"] for one in changes] == [4, 3, 2, 1]
    assert all(later["before"] == sooner["after"] for later, sooner in pairwise(changes))
    assert found["confidence"] == changes[0]["after"]


def test_the_tool_reports_too(world, rows_of):
    chunk = world.chunk()
    answer = call(world.alice, "memory_outcome", {"chunkId": chunk, "outcome": "failure", "sessionId": "s"})
    assert (answer["confidence"], answer["status"]) == (0.3, "recorded")
    again = call(world.alice, "memory_outcome", {"chunkId": chunk, "outcome": "failure"}, **{"X-Session-Id": "s"})
    assert again["status"] == "already_recorded"
    refused = world.alice.post("tools/memory_outcome", {"chunkId": chunk, "outcome": "failure"})
    assert list(faults(refused)) == ["#/sessionId"]
    assert len(rows_of(Outcome)) == 1


def test_no_outcome_is_recorded_that_could_not_be_sealed(world, rows_of, monkeypatch):
    def behind(tenant_id):
        raise published_tree_heads.LedgerIsBehind

    chunk = world.chunk()
    monkeypatch.setattr(published_tree_heads, "require_not_behind", behind)
    assert world.alice.post(f"chunks/{chunk}/outcome", {"outcome": "success", "session_id": "s"}).status_code >= 400
    assert rows_of(Outcome) == []
