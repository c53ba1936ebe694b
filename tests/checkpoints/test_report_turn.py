"""Reporting turns, and the checkpoints that are made of them."""

import pytest

from tests.checkpoints.sessions import STATE, refused

pytestmark = pytest.mark.django_db


def test_it_works(session):
    said = session.turn(1)
    assert said == {
        "session_id": session.id,
        "turn": 1,
        "depth": 0,
        "checkpoint": None,
        "next_checkpoint_turn": 5,
    }
    assert session.ok("get")["turn"] == 1


def test_every_fifth_turn_makes_a_checkpoint(session):
    made = [session.turn(number)["checkpoint"] for number in range(1, 16)]
    assert [number for number, one in enumerate(made, 1) if one] == [5, 10, 15]
    assert [one["turn"] for one in session.listed()] == [15, 10, 5]
    assert {one["kind"] for one in session.listed()} == {"automatic"}


@pytest.mark.parametrize(("every", "due"), [(1, [1, 2, 3, 4]), (2, [2, 4]), (3, [3]), (4, [4]), (1000, [])])
def test_the_interval_is_the_sessions(session, every, due):
    session.turn(0, checkpoint_every=every)
    assert session.ok("get")["checkpoint_every"] == every
    made = [session.turn(number)["checkpoint"] for number in range(1, 5)]
    assert [number for number, one in enumerate(made, 1) if one] == due


def test_turns_that_are_left_out_do_not_leave_out_a_checkpoint(session):
    assert session.turn(4)["checkpoint"] is None
    assert session.turn(6)["checkpoint"]["turn"] == 6  # six turns without one
    assert session.turn(8)["checkpoint"] is None
    assert session.turn(9)["next_checkpoint_turn"] == 10
    assert session.turn(10)["checkpoint"]["turn"] == 10


def test_turn_0_has_nothing_to_save(session):
    assert session.turn(0) == {
        "session_id": session.id,
        "turn": 0,
        "depth": 0,
        "checkpoint": None,
        "next_checkpoint_turn": 5,
    }


def test_the_next_turn_with_a_checkpoint_is_said(session):
    session.turn(1)
    session.checkpoint(turn=1)
    said = session.turn(6)
    assert (said["checkpoint"], said["next_checkpoint_turn"]) == (None, 7)  # the sixth turn after the last one
    assert session.turn(7)["checkpoint"] is not None


def test_the_state_may_be_left_out_where_none_is_due(session):
    for number in range(1, 5):
        session.ok("put", "/turn", {"turn": number})
    problem = refused(session.ask("put", "/turn", {"turn": 5}), 400, "state-is-due")
    assert "turn 5" in problem["detail"]
    assert session.ok("get")["turn"] == 4
    assert session.turn(5)["checkpoint"]["turn"] == 5


def test_the_same_report_again_changes_nothing(session):
    first = session.turn(5)
    assert session.turn(5) == first
    assert len(session.listed()) == 1
    session.turn(6)
    assert session.turn(6)["checkpoint"] is None


def test_another_state_of_the_same_turn_is_refused(session):
    session.turn(5)
    problem = refused(session.ask("put", "/turn", {"turn": 5, **STATE}), 409, "turn-repeated")
    assert "Turn 5" in problem["detail"]
    assert "turn 6" in problem["detail"]
    assert problem["errors"][0]["pointer"] == "#/turn"
    assert len(session.listed()) == 1


def test_a_lower_turn_is_refused_and_both_are_named(session):
    session.turn(7)
    problem = refused(session.ask("put", "/turn", {"turn": 6, **STATE}), 409, "turn-goes-back")
    assert "Turn 6 is lower than the session's current turn 7" in problem["detail"]
    assert session.ok("get")["turn"] == 7


def test_turns_count_for_each_depth_by_itself(session):
    session.turn(7)
    assert session.turn(5, depth=1)["checkpoint"]["depth"] == 1
    assert session.ok("get")["turn"] == 7
    assert [one["turn"] for one in session.listed("?depth=1")] == [5]
    assert session.ok("get", "/checkpoints/latest?depth=0")["turn"] == 7
    refused(session.ask("get", "/checkpoints/latest?depth=2"), 404)


def test_a_turn_can_be_reported_after_a_checkpoint_of_it(session):
    session.turn(4)
    session.checkpoint(turn=5)
    assert session.turn(5)["checkpoint"]["kind"] == "automatic"


def test_a_checkpoint_in_a_turn_does_not_forget_its_report(session):
    session.turn(5)
    session.checkpoint(turn=5)
    refused(session.ask("put", "/turn", {"turn": 5, **STATE}), 409, "turn-repeated")


@pytest.mark.parametrize(
    "fields",
    [
        {"turn": None},
        {"turn": 1.5},
        {"turn": 2**53},
        {"checkpoint_every": 0},
        {"checkpoint_every": 1001},
        {"kind": "x"},
    ],
)
def test_a_wrong_field_is_refused(session, fields):
    refused(session.ask("put", "/turn", {"turn": 1, **STATE, **fields}), 400)
    refused(session.ask("get"), 404)


def test_the_turn_is_required(session):
    problem = refused(session.ask("put", "/turn", STATE), 400)
    assert problem["errors"][0]["pointer"] == "#/turn"


@pytest.mark.django_db(transaction=True)
def test_of_two_reports_at_once_one_makes_a_checkpoint(session, at_once):
    session.turn(1)
    reports = at_once(*[lambda: session.ask("put", "/turn", {"turn": 5, **STATE})] * 4)
    assert {one.status_code for one in reports} == {200}
    assert len({one.json()["checkpoint"]["id"] for one in reports}) == 1
    assert len(session.listed()) == 1


@pytest.mark.django_db(transaction=True)
def test_of_two_states_at_once_one_is_refused(session, at_once):
    session.turn(1)
    reports = at_once(
        *[lambda n=n: session.ask("put", "/turn", {"turn": 5, **STATE, "metadata": {"n": n}}) for n in range(2)]
    )
    assert sorted(one.status_code for one in reports) == [200, 409]
    assert len(session.listed()) == 1
