"""The turns of a session lend each other their words, and only while everybody who sees the one may see the other:
after each operation that hides a text, neither it nor its neighbours are found by a word that only it had."""

from functools import partial
from itertools import groupby

import pytest
from django.db import connections
from prometheus_client import REGISTRY

from governance.acting import gate
from memory import tasks
from memory.db import repair_effective
from memory.services import completing
from tests.erasure.conftest import admins_of
from tests.memory.lent_words import complete, having, place_of, vectors, waiting
from tests.surgery.helpers import drift

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])

TURNS = ["quokka", "obelisk", "marimba", "tundra", "velvet", "saffron", "lagoon"]
#: The word of the turn in the middle, and the places of the turns that it reaches.
HIDDEN, REACHED = "tundra", [1, 2, 3, 4, 5]
#: A question to which only that word contributes.
QUESTION = "tundra xylophone umbrella"


@pytest.fixture
def turns(world):
    """The chunks of a session of seven turns, each with a word of its own, after the job has run."""
    made = [world.chunk(f"We saw the {word}", ts=f"2026-05-07T10:00:0{at}Z") for at, word in enumerate(TURNS)]
    complete(world)
    return made


def assert_hidden(world, turns, *, own=False):
    """The word of the middle turn finds nothing: not it (unless `own`), and none of its neighbours."""
    middle = turns[TURNS.index(HIDDEN)]
    for _ in range(2):
        assert having(world, HIDDEN) <= ({middle} if own else set())
        assert world.found(HIDDEN) == []
        assert world.found(QUESTION) == []
        assert world.found(QUESTION, session_id="session-1") == []
        assert drift(world) == []
        complete(world)


def test_two_turns_before_and_two_after_have_a_turns_words(world, turns):
    assert having(world, HIDDEN) == {turns[at] for at in REACHED}
    weights = [vectors(world)[turn].get(place_of(HIDDEN), 0) for turn in turns]
    # its own, what the turn before said, what the turn after said, and those further away
    assert weights[3] > weights[4] > weights[2] > weights[5] > weights[1] > weights[0] == weights[6] == 0
    assert world.found(QUESTION, mode="keyword") == [f"We saw the {TURNS[at]}" for at in (3, 4, 2, 5, 1)]
    assert drift(world) == []


def test_what_is_recorded_is_found_at_once_and_lends_its_words_by_the_job(world):
    first = world.chunk("We saw the quokka")
    second = world.chunk("We saw the obelisk")

    assert world.found("quokka") == ["We saw the quokka"]
    assert set(vectors(world).values()) == {None}
    assert waiting(world) == 2
    assert drift(world) == []  # what waits is no drift
    complete(world)
    assert having(world, "quokka") == having(world, "obelisk") == {first, second}
    assert waiting(world) == 0
    third = world.chunk("We saw the marimba")
    complete(world)
    assert having(world, "marimba") == having(world, "quokka") == {first, second, third}


def test_the_task_completes_every_tenant_in_which_something_waits(world, elsewhere):
    one, other = world.chunk("We saw the quokka"), elsewhere.chunk("We saw the obelisk")

    tasks.complete_contexts()
    assert REGISTRY.get_sample_value("suture_indexing_waiting") is not None

    assert (having(world, "quokka"), having(elsewhere, "obelisk")) == ({one}, {other})
    assert waiting(world) == waiting(elsewhere) == 0
    assert completing.complete_contexts() == 0


def test_the_job_reports_how_many_chunks_are_left(world, monkeypatch):
    for number in range(5):
        world.chunk(f"We saw {number} quokkas")
    monkeypatch.setattr(completing, "complete_context", partial(completing.complete_context, limit=2))
    reports: list[int] = []

    completing.complete_contexts(reports.append)

    # tenants of other tests may have some that nothing completes
    assert [left - reports[-1] for left, _ in groupby(reports)] == [5, 3, 1, 0]


def test_turns_that_are_recorded_together_have_each_others_words(world):
    body = {"events": [world.draft(f"We saw the {word}", ts="2026-05-07T10:00:00Z") for word in TURNS[:3]]}
    recorded = world.alice.ok("post", "events/batch", body)["events"]
    first, second, third = (one["chunk_ids"][0] for one in recorded)

    complete(world)
    assert having(world, "quokka") == {first, second, third}
    assert having(world, "marimba") == {first, second, third}
    assert drift(world) == []


def test_an_import_of_one_moment_keeps_its_order(world):
    drafts = [world.draft(f"We saw number{at} of the quokka", ts="2026-05-07T10:00:00Z") for at in range(30)]
    recorded = world.alice.ok("post", "events/batch", {"events": drafts})["events"]
    chunks = [one["chunk_ids"][0] for one in recorded]

    assert set(vectors(world).values()) == {None}
    assert world.found('"number7"') == ["We saw number7 of the quokka"]
    assert drift(world) == []
    complete(world)
    assert having(world, "number7") == set(chunks[5:10])
    assert drift(world) == []


def test_a_turn_that_is_recorded_late_takes_its_place(world, turns):
    late = world.chunk("We saw the zanzibar", ts="2026-05-07T10:00:03.500Z")
    complete(world)

    assert having(world, "zanzibar") == {late, *turns[2:6]}
    assert having(world, HIDDEN) == {late, *turns[1:5]}
    assert drift(world) == []


def test_a_late_turn_that_lends_nothing_moves_its_neighbours_apart(world, turns):
    """Its neighbours have no words of it, and yet others of each other."""
    before = vectors(world)
    late = world.chunk("We saw the zanzibar", ts="2026-05-07T10:00:03.500Z", subject_type="user", subject_id="ann")
    complete(world)

    assert having(world, "zanzibar") == {late}
    assert having(world, HIDDEN) == set(turns[1:5])
    after = vectors(world)
    assert after[turns[4]][place_of(HIDDEN)] < before[turns[4]][place_of(HIDDEN)]
    assert drift(world) == []


def test_an_edit_beside_a_turn_that_borrows_nothing_leaves_that_turn_alone(world):
    """Neither its vector of words nor its embedding is made again."""
    one = world.chunk("We saw the quokka")
    beside = world.chunk("We saw the obelisk", subject_type="user", subject_id="ann")
    complete(world)

    def versions():
        with world.inside("owner"):
            return {
                row["id"]: row["version"]
                for row in gate.rows(
                    "SELECT x.id::text, concat_ws(' ', x.xmin, (SELECT i.xmin FROM memory_embeddingitem i"
                    " WHERE i.tenant_id = x.tenant_id AND i.id = x.id)) AS version"
                    " FROM memory_effectivechunk x WHERE x.tenant_id = %s",
                    [world.tenant_id],
                    "owner",
                )
            }

    before = versions()
    world.edit(one, "amend", text="We saw the marimba")
    after = versions()
    assert after[beside] == before[beside]
    assert after[one] != before[one]
    assert having(world, "marimba") == {one}
    assert drift(world) == []


@pytest.mark.parametrize("other", [{"session_id": "session-2"}, {"channel": "team"}, {"subject": "ann"}])
def test_other_sessions_channels_and_subjects_lend_nothing(world, other):
    if subject := other.pop("subject", None):
        other = {"subject_type": "user", "subject_id": subject}
    one = world.chunk("We saw the quokka")
    beside = world.chunk("We saw the obelisk", **other)
    complete(world)

    assert having(world, "quokka") == {one}
    assert having(world, "obelisk") == {beside}


@pytest.mark.parametrize(("first", "second"), [("none", "high"), ("low", "high"), ("none", "low"), ("high", "secret")])
def test_a_more_sensitive_turn_lends_nothing_to_a_less_sensitive_one(world, first, second):
    open_ = world.chunk("We saw the quokka", sensitivity=first)
    closed = world.chunk("We saw the obelisk", sensitivity=second)
    complete(world)

    assert having(world, "quokka") == {open_, closed}
    assert having(world, "obelisk") == {closed}


def test_another_tenants_session_of_the_same_name_lends_nothing(world, elsewhere):
    one, other = world.chunk("We saw the quokka"), elsewhere.chunk("We saw the obelisk")
    complete(world)
    complete(elsewhere)

    assert having(world, "quokka") == {one}
    assert having(elsewhere, "obelisk") == {other}


# -- Each operation, with the word that it hides


@pytest.mark.parametrize("is_job_late", [False, True])
@pytest.mark.parametrize("op", ["retract", "quarantine"])
def test_a_hidden_turn_lends_nothing(world, turns, op, is_job_late):
    if is_job_late:  # the vectors of its neighbours are not complete yet
        world.chunk("We saw the zanzibar")

    edit = world.edit(turns[3], op)["edit_id"]

    assert_hidden(world, turns, own=op == "quarantine")
    world.bob.ok("post", f"edits/{edit}/revert", {"reason": "it was right"})
    assert having(world, HIDDEN) == {turns[at] for at in REACHED}
    assert drift(world) == []


def test_the_place_of_a_retracted_turn_stays_empty(world, turns):
    world.edit(turns[3], "retract")

    assert having(world, "marimba") == {turns[at] for at in (0, 1, 2, 4)}
    assert drift(world) == []


def test_an_approval_hides_what_waited_for_it(world, turns, agent_in):
    edit = world.edit(turns[3], "retract", by=agent_in("private"))["edit_id"]
    assert having(world, HIDDEN) == {turns[at] for at in REACHED}

    world.bob.decide(edit)

    assert_hidden(world, turns)


def test_an_amended_turn_lends_its_new_words_only(world, turns):
    world.edit(turns[3], "amend", text="We saw the zanzibar")

    assert having(world, "zanzibar") == {turns[at] for at in REACHED}
    assert_hidden(world, turns)


def test_a_block_ends_the_lending_to_turns_that_are_not_blocked(world, turns):
    world.edit(turns[3], "block", channel="public")
    assert_hidden_but_itself(world, turns)

    world.edit(turns[4], "block", channel="public")

    assert having(world, HIDDEN) == {turns[3], turns[4]}, "whoever may see the next turn may see this one too"
    assert drift(world) == []


def assert_hidden_but_itself(world, turns):
    assert having(world, HIDDEN) == {turns[3]}
    assert drift(world) == []


def test_an_edit_of_the_importance_changes_no_vector(world, turns):
    before = vectors(world)

    world.edit(turns[3], "attenuate", importance_delta=-0.1)

    assert vectors(world) == before


def test_an_edit_that_expires_or_is_rejected_changes_no_vector(world, turns):
    before = vectors(world)
    edit = world.edit(turns[3], "quarantine", by=world.alice)["edit_id"]
    world.bob.decide(edit, "reject", reason="no")

    assert vectors(world) == before


def test_an_erasure_leaves_nothing_of_it(world, turns):
    admins_of(world).erase(by="chunk", id=turns[3])

    assert_hidden(world, turns)
    assert vectors(world)[turns[3]] is None


def test_an_erasure_of_an_amended_text_leaves_nothing_of_either(world, turns):
    world.edit(turns[3], "amend", text="We saw the zanzibar")
    admins_of(world).erase(by="chunk", id=turns[3])

    assert_hidden(world, turns)
    assert having(world, "zanzibar") == set()


def test_an_erasure_before_the_job_has_run_leaves_nothing(world):
    chunks = [world.chunk(f"We saw the {word}") for word in TURNS]
    admins_of(world).erase(by="chunk", id=chunks[3])

    assert_hidden(world, chunks)


def test_chunks_of_one_text_that_supersede_each_other_lend_their_words_once(world):
    decision = world.event(" ".join(f"word{at}" for at in range(300)), kind="decision", content={"decision": "Go"})
    complete(world)

    world.edit(decision["decision_id"], "amend", target_type="decision", text="We saw the zanzibar")

    first, *others = decision["chunk_ids"]
    assert having(world, "zanzibar") == {first}, others
    assert having(world, "word7") == set()
    assert drift(world) == []


def test_bulk_edits_of_neighbours_hide_all_of_them(world, turns):
    body = {
        "edits": [
            {"target_type": "chunk", "target_id": turn, "op": "retract", "patch": {}, "reason": "a test"}
            for turn in (turns[4], turns[3], turns[5])
        ]
    }
    world.bob.ok("post", "edits/bulk", body)

    for word in ("tundra", "velvet", "saffron"):
        assert having(world, word) == set()
    assert having(world, "lagoon") == {turns[6]}
    assert drift(world) == []


def test_edits_and_recordings_at_once_leave_no_hidden_word(world, at_once):
    for number in range(5):
        chunks = [world.chunk(f"We saw the {word}{number}", session_id=f"session-{number}") for word in TURNS]
        complete(world)

        answers = at_once(
            lambda chunks=chunks: world.bob.post("edits", retraction(chunks[3])),
            lambda chunks=chunks: world.ann.post("edits", retraction(chunks[5])),
            lambda number=number: world.alice.post(
                "events", world.draft("We saw the zanzibar", session_id=f"session-{number}")
            ),
            lambda: completing.complete_context(world.tenant_id),
        )

        assert {answer.status_code for answer in answers[:3]} == {201}
        assert having(world, f"tundra{number}") == having(world, f"saffron{number}") == set()
        complete(world)
        assert drift(world) == []


@pytest.mark.slow
def test_edits_of_neighbouring_turns_at_once_do_not_deadlock(world, turns, at_once):
    for _ in range(5):
        answers = at_once(
            *(
                lambda turn=turn, by=by: by.post("edits", amendment(turn))
                for turn, by in zip(turns[1:5], [world.bob, world.ann] * 2, strict=True)
            )
        )
        assert {answer.status_code for answer in answers} == {201}, [answer.content for answer in answers]
    assert drift(world) == []


@pytest.mark.slow
def test_bulk_edits_across_sessions_at_once_do_not_deadlock(world, at_once):
    for number in range(8):
        first, second = f"a{number}", f"b{number}"
        a1, b1, a2, b2 = (
            world.chunk("We saw the quokka", session_id=session) for session in (first, second, first, second)
        )
        complete(world)

        # each locks the neighbours of what the other edits, in the order of the ids another session first
        answers = at_once(
            lambda a1=a1, b2=b2: world.bob.post("edits/bulk", {"edits": [amendment(a1), amendment(b2)]}),
            lambda b1=b1, a2=a2: world.ann.post("edits/bulk", {"edits": [amendment(b1), amendment(a2)]}),
        )

        assert {answer.status_code for answer in answers} == {201}, [answer.content for answer in answers]
    assert drift(world) == []


def retraction(chunk):
    return {"target_type": "chunk", "target_id": chunk, "op": "retract", "patch": {}, "reason": "a test"}


def amendment(chunk):
    return {
        "target_type": "chunk",
        "target_id": chunk,
        "op": "amend",
        "patch": {"text": "We saw the zanzibar"},
        "reason": "a test",
    }


# -- What verify_effective says of it


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE memory_effectivechunk SET lex = NULL WHERE tenant_id = %s",
        "UPDATE memory_effectivechunk SET lex = '{5:1}/268435456' WHERE tenant_id = %s",
    ],
)
def test_a_vector_that_differs_is_reported_and_mended(world, turns, sql):
    before = vectors(world)
    with world.inside("owner"), connections["owner"].cursor() as cursor:
        cursor.execute(sql, [world.tenant_id])

    assert {(row.kind, row.problem) for row in drift(world)} == {("chunk", "words in context")}
    assert len(drift(world)) == len(turns)

    with world.inside("owner"):
        assert repair_effective.on("owner")(tenant=world.tenant_id) == len(turns)
    complete(world)
    assert drift(world) == []
    assert vectors(world) == before


def test_words_that_a_turn_kept_of_a_hidden_neighbour_are_reported(world, turns):
    with world.inside("owner"), connections["owner"].cursor() as cursor:
        cursor.execute(
            "UPDATE memory_effectivechunk SET is_quarantined = true WHERE tenant_id = %s AND id = %s",
            [world.tenant_id, turns[3]],
        )

    assert {str(row.id) for row in drift(world)} == {turns[at] for at in REACHED}
    with world.inside("owner"):
        repair_effective.on("owner")(tenant=world.tenant_id)
    complete(world)
    assert having(world, HIDDEN) == {turns[at] for at in REACHED}
    assert drift(world) == []
