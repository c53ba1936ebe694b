"""A run that reports its turns, and resumes from the last checkpoint."""

import json
from datetime import date
from typing import Any

import httpx
import pytest

from suture_client.checkpointing import Checkpointer, NotJson, Problem, capture_variables, restore
from tests.world import World

pytestmark = pytest.mark.django_db(transaction=True)

#: Every field of a state, with values that JSON or a store might change.
WHOLE: dict[str, Any] = {
    "repl_state": {"b": 1.0, "a": [-0.0, 1e300, 2**63 - 1, "e\u0301 \u00e9 \u0001 \U0001f600"], "": {}},
    "working_memory": {"plan": ["read", {"then": None}], "2": True, "10": False},
    "pending_operations": [{"id": "mail-1", "to": "ann@example.org"}],
    "trajectory_events": [{"kind": "thought", "text": "Hm."}],
    "cost_so_far": 0.1,
    "messages": [{"role": "user", "content": "Hello"}],
    "metadata": {"model": "m-1"},
}


def test_every_nth_turn_makes_a_checkpoint(server: World) -> None:
    with Checkpointer("invoices/2026:11", every=3) as run:
        turns = [run.turn(working_memory={"turn": number}) for number in range(1, 8)]

    assert [turn.checkpoint.turn for turn in turns if turn.checkpoint] == [3, 6]
    assert [turn.number for turn in turns] == [1, 2, 3, 4, 5, 6, 7]
    assert turns[0].next_checkpoint_turn == 3
    listed = server.alice.ok("get", "sessions/invoices%2F2026%3A11/checkpoints")["results"]
    assert [one["turn"] for one in listed] == [6, 3]
    assert {one["kind"] for one in listed} == {"automatic"}


def test_the_interval_is_five_turns_by_default(server: World) -> None:
    with Checkpointer("by default") as run:
        turns = [run.turn(cost_so_far=number) for number in range(6)]
    assert [turn.number for turn in turns if turn.checkpoint] == [5]


def test_the_whole_state_comes_back(server: World) -> None:
    with Checkpointer("whole", every=1) as run:
        run.turn(**WHOLE)
    state = restore("whole").state
    for field, value in WHOLE.items():
        assert json.dumps(state[field]) == json.dumps(value), field


def test_variables_of_every_type_come_back(server: World) -> None:
    variables = {
        "when": date(2026, 11, 23),
        "seen": {1, 2},
        "by": {(1, 2): b"\x00"},
        "big": 2**100,
        "nan": float("inf"),
    }
    with Checkpointer("variables", every=1) as run:
        turn = run.turn(variables={**variables, "open": json})
    assert [one.name for one in turn.left_out] == ["open"]
    rebuilt = restore("variables").variables()
    assert rebuilt.values == variables
    assert [(one.path, one.type) for one in rebuilt.missing] == [("open", "module")]


def test_the_state_is_sent_only_where_a_checkpoint_is_due(server: World, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[bytes] = []
    send = httpx.Client.send

    def note(self: httpx.Client, request: httpx.Request, **rest: Any) -> httpx.Response:
        sent.append(request.content)
        return send(self, request, **rest)

    monkeypatch.setattr(httpx.Client, "send", note)
    with Checkpointer("small", every=2) as run:
        for number in range(1, 5):
            run.turn(messages=["x" * 1_000] * number)
    # The first turn does not know yet when one is due.
    assert [len(body) > 1_000 for body in sent] == [True, True, False, True]


def test_an_interval_that_another_process_shortened_is_met(server: World) -> None:
    with Checkpointer("shortened") as run:
        run.turn(cost_so_far=1)
        server.alice.ok("put", "sessions/shortened", {"checkpoint_every": 2})
        assert run.turn(cost_so_far=2).checkpoint is not None
    assert restore("shortened").state["cost_so_far"] == 2


def test_what_changes_after_a_turn_is_not_in_its_state(server: World) -> None:
    plan = ["read"]
    with Checkpointer("changed") as run:
        run.turn(working_memory=plan)
        plan.append("half a thought")
        run.checkpoint()
    assert restore("changed").state["working_memory"] == ["read"]


def test_a_run_goes_on_where_the_newest_checkpoint_was(server: World) -> None:
    with Checkpointer("again", every=2, resume=True) as run:
        assert (run.number, run.restored, run.variables) == (0, None, {})
        for total in (1, 2, 3):
            run.turn(variables={"total": total})
    with Checkpointer("again", every=2, resume=True) as run:
        assert run.restored is not None
        assert (run.number, run.variables) == (2, {"total": 2})
        assert run.turn(variables={"total": 3}).number == 3
    session = server.alice.ok("get", "sessions/again")
    assert (session["status"], session["turn"]) == ("resumed", 3)


def test_a_run_goes_on_from_the_checkpoint_that_it_names(server: World) -> None:
    with Checkpointer("older", every=1) as run:
        made = [run.turn(working_memory=number).checkpoint for number in range(3)]
    assert made[0] is not None
    with Checkpointer("older", every=1, resume=made[0].id) as run:
        assert run.number == 1
        run.turn(working_memory="another way")
    with Checkpointer("older", resume=True) as run:
        assert run.restored is not None
        assert (run.number, run.restored.state["working_memory"]) == (2, "another way")
    for other in (Checkpointer("another", resume=made[0].id), Checkpointer("older", depth=1, resume=made[0].id)):
        with pytest.raises(ValueError, match=r"belongs to the session 'older' at depth 0, not to"):
            other.__enter__()


def test_agents_at_different_depths_count_their_own_turns(server: World) -> None:
    with Checkpointer("deep", every=1) as run, Checkpointer("deep", every=1, depth=2) as below:
        run.turn(working_memory="above")
        run.turn(working_memory="above")
        assert below.turn(working_memory="below").number == 1
    assert restore("deep", depth=2).state["working_memory"] == "below"
    assert restore("deep").state["working_memory"] == "above"
    with Checkpointer("deep", depth=2, resume=True) as below:
        assert below.number == 1


def test_a_turn_that_goes_back_is_refused_with_both_turns(server: World) -> None:
    with Checkpointer("back", every=1) as run:
        run.turn(7, working_memory=1)
    with Checkpointer("back", every=1) as run, pytest.raises(Problem, match=r"1\D.*7") as refused:
        run.turn(working_memory=1)
    assert refused.value.status == 409


def test_the_same_turn_may_be_reported_again_but_not_with_another_state(server: World) -> None:
    with Checkpointer("repeated", every=1) as run:
        first = run.turn(4, working_memory="one").checkpoint
        assert run.turn(4, working_memory="one").checkpoint == first
        with pytest.raises(ValueError, match=r"Turn 4 .* different state. The next turn is 5"):
            run.turn(4, working_memory="other")
    with Checkpointer("repeated", every=1) as run:
        assert run.turn(4, working_memory="one").checkpoint == first
    with Checkpointer("repeated", every=1) as run, pytest.raises(Problem, match="Turn 4") as refused:
        run.turn(4, working_memory="other")
    assert refused.value.status == 409


@pytest.mark.parametrize(
    ("state", "place"),
    [
        (
            {"working_memory": {"plan": [1, {"when": date(2026, 1, 1)}]}},
            'working_memory["plan"][1]["when"] is datetime.date',
        ),
        ({"messages": [{"content": ("a", "b")}]}, 'messages[0]["content"] is tuple'),
        ({"metadata": {3: "three"}}, "metadata[3] is int"),
        ({"trajectory_events": [float("nan")]}, "trajectory_events[0] is float"),
        ({"cost_so_far": 2**64}, "cost_so_far is int"),
        ({"messages": ["half \ud800"]}, "messages[0] is str"),
        ({"pending_operations": [{"do": {1, 2}}]}, 'pending_operations[0]["do"] is set'),
        ({"repl_state": {"x": object()}}, 'repl_state["x"] is object'),
    ],
)
def test_a_value_that_json_cannot_hold_is_named_with_its_place(server: World, state: Any, place: str) -> None:
    with Checkpointer("strict", every=1) as run:
        with pytest.raises(NotJson) as refused:
            run.turn(**state)
        assert str(refused.value).startswith(place)
        assert run.number == 0
    with pytest.raises(Problem) as missing:
        restore("strict")
    assert missing.value.status == 404


def test_a_state_that_contains_itself_is_named(server: World) -> None:
    cycle: list[Any] = []
    cycle.append({"again": cycle})
    with (
        Checkpointer("cycle") as run,
        pytest.raises(NotJson, match=r'^messages\[0\]\["again"\] is list.*contains itself'),
    ):
        run.turn(messages=cycle)


def test_a_field_that_there_is_not_is_named(server: World) -> None:
    with (
        Checkpointer("unknown") as run,
        pytest.raises(ValueError, match=r"Unknown fields of a state: memory\. The fields are variables,"),
    ):
        run.turn(memory={})  # type: ignore[call-arg] # that is the test


def test_a_large_state_comes_back(server: World) -> None:
    rows = [{"id": number, "text": f"row {number}", "value": number / 7} for number in range(60_000)]
    with Checkpointer("large", every=1) as run:
        made = run.turn(variables={"rows": rows}).checkpoint
        assert made is not None
        assert made.size > 2_000_000
    assert restore("large").variables().values["rows"] == rows


def test_variables_and_a_repl_state_exclude_each_other(server: World) -> None:
    with Checkpointer("both") as run, pytest.raises(ValueError, match="Pass either variables or repl_state"):
        run.turn(variables={"a": 1}, repl_state=capture_variables({"a": 1}))
