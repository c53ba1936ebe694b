"""What agents and reviewers do at once has one outcome, the chain has no gap, and nobody waits for ever."""

import pytest

from governance.models import Entry
from tests.factories import DecisionFactory

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])

ROUNDS = 4


def numbers(world):
    with world.inside():
        return list(
            Entry.objects.filter(tenant_id=world.tenant_id, chain__name="agent:alice")
            .order_by("seq")
            .values_list("seq", flat=True)
        )


def statuses(answers):
    return sorted(getattr(answer, "status_code", answer) for answer in answers)


def test_of_two_rethinks_of_one_memory_one_wins_and_the_other_learns_which(world, agent, at_once):
    for round in range(ROUNDS):
        one, two, three = agent.commits(*(f"Jack likes thing {round} {number}" for number in range(3)))

        answers = at_once(
            lambda one=one, two=two: world.alice.post(
                "tools/memory_rethink", {"supersedes": [one, two], "newUnderstanding": "First"}
            ),
            lambda two=two, three=three: world.alice.post(
                "tools/memory_rethink", {"supersedes": [three, two], "newUnderstanding": "Second"}
            ),
        )

        assert statuses(answers) == [200, 409]
        won, lost = sorted(answers, key=lambda answer: answer.status_code)
        (fault,) = lost.json()["errors"]
        seq = won.json()["consolidationSeq"]
        assert fault["pointer"] == "#/supersedes/1"
        assert fault["detail"] == f"Memory {two} is superseded by memory {seq}."
        assert agent.memory(two)["superseded_by"] == seq
    assert numbers(world) == list(range(len(numbers(world))))


def test_commits_at_once_leave_no_gap(world, agent, at_once):
    answers = at_once(
        *(
            lambda number=number: world.alice.post("tools/memory_commit", {"content": f"Fact {number}"})
            for number in range(12)
        )
    )
    assert statuses(answers) == [200] * 12
    assert sorted(answer.json()["seq"] for answer in answers) == list(range(1, 13))
    assert numbers(world) == list(range(13))


def test_versions_of_a_block_at_once_are_counted_one_by_one(world, agent, at_once):
    answers = at_once(
        *(
            lambda number=number: world.alice.post(
                "tools/block_update", {"label": "goals", "content": f"Goal {number}"}
            )
            for number in range(6)
        )
    )
    assert statuses(answers) == [200] * 6
    versions = agent.versions("goals")
    assert [one["version"] for one in versions] == [6, 5, 4, 3, 2, 1]
    assert [one["is_superseded"] for one in versions] == [False] + [True] * 5


def test_an_edit_and_a_rethink_at_once_both_take_effect(world, agent, at_once):
    for round in range(ROUNDS):
        one, two = (agent.commit(f"Jack likes thing {round} {number}") for number in range(2))

        answers = at_once(
            lambda one=one: world.bob.post(
                "edits",
                {"target_type": "chunk", "target_id": one["chunk_id"], "op": "retract", "reason": "no", "patch": {}},
            ),
            lambda one=one, two=two, round=round: world.alice.post(
                "tools/memory_rethink",
                {"supersedes": [one["seq"], two["seq"]], "newUnderstanding": f"Both of {round}"},
            ),
        )

        assert statuses(answers) == [200, 201], [answer.content for answer in answers]
        assert f"Both of {round}" not in agent.listed()
        assert f"Jack likes thing {round} 1" in agent.listed()


def test_edits_of_original_and_consolidation_at_once_meet_without_a_deadlock(world, agent, at_once):
    for round in range(ROUNDS):
        one, two = (agent.commit(f"Jack likes thing {round} {number}") for number in range(2))
        lower = agent.rethink([one["seq"], two["seq"]], f"Lower {round}")
        upper = agent.rethink([lower["consolidationSeq"]], f"Upper {round}")

        def retract(chunk):
            return world.bob.post(
                "edits",
                {"target_type": "chunk", "target_id": chunk, "op": "retract", "reason": "no", "patch": {}},
            )

        chunks = [made["chunk_id"] for made in (upper, one, lower, two)]
        answers = at_once(*(lambda chunk=chunk: retract(chunk) for chunk in chunks))
        assert statuses(answers) == [201] * 4, [getattr(answer, "content", answer) for answer in answers]
        assert not [text for text in agent.listed() if text.endswith(str(round)) or f"thing {round}" in text]


def test_decisions_commits_and_edits_at_once_meet_without_a_deadlock(world, agent, at_once):
    made = [agent.commit(f"Jack likes thing {number}") for number in range(4)]
    answers = at_once(
        *(lambda: world.alice.post("events", DecisionFactory()) for _ in range(3)),
        *(lambda: world.alice.post("tools/memory_commit", {"content": "Jack likes fog"}) for _ in range(3)),
        *(
            lambda one=one: world.bob.post(
                "edits",
                {"target_type": "chunk", "target_id": one["chunk_id"], "op": "retract", "reason": "no", "patch": {}},
            )
            for one in made
        ),
    )
    assert statuses(answers) == [200] * 3 + [201] * 7
    assert numbers(world) == list(range(11))
