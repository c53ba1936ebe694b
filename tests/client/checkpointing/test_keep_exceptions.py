"""A failed run stores its last state and raises its own exception."""

from collections.abc import Callable
from typing import Any

import pytest

from suture_client.checkpointing import Checkpointer, restore
from tests.world import World

pytestmark = pytest.mark.django_db(transaction=True)


class OwnError(Exception):
    pass


class UnprintableError(Exception):
    def __str__(self) -> str:
        raise RuntimeError


def run_that_fails(session: str, error: BaseException, before: Callable[[], Any] = lambda: None) -> None:
    """One turn, and then `error`."""
    with Checkpointer(session) as run:
        run.turn(working_memory="before", metadata={"model": "m-1"})
        before()
        raise error


def notes_of(failed: Any) -> str:
    return "\n".join(failed.value.__notes__)


def kinds(server: World, session: str) -> list[str]:
    answer = server.alice.request("get", f"sessions/{session}/checkpoints")
    return [one["kind"] for one in answer.json()["results"]] if answer.status_code == 200 else []


@pytest.mark.parametrize(
    ("error", "kind", "message"),
    [
        (OwnError("the disk is full"), f"{__name__}.OwnError", "the disk is full"),
        (KeyError("missing"), "KeyError", "'missing'"),
        (KeyboardInterrupt(), "KeyboardInterrupt", ""),
        (SystemExit(3), "SystemExit", "3"),
        (ValueError("half \ud800 and \x00"), "ValueError", "half \ufffd and \ufffd"),
        (UnprintableError(), f"{__name__}.UnprintableError", "(no message: str() raised RuntimeError)"),
        (ValueError("x" * 20_000), "ValueError", "x" * 10_000),
    ],
    ids=lambda value: type(value).__name__,
)
def test_the_state_after_the_last_turn_is_kept_with_what_failed(
    server: World, error: BaseException, kind: str, message: str
) -> None:
    with pytest.raises(type(error)) as failed:
        run_that_fails("fails", error)
    assert failed.value is error
    restored = restore("fails")
    assert f"Checkpoint {restored.checkpoint.id} has the state after turn 1 of the session fails." in notes_of(failed)
    assert restored.checkpoint.kind == "exception"
    assert restored.state["working_memory"] == "before"
    assert restored.state["metadata"] == {"model": "m-1", "exception": {"type": kind, "message": message}}


@pytest.mark.parametrize("error", [SystemExit(), SystemExit(0), GeneratorExit()], ids=repr)
def test_the_end_of_a_program_is_no_failure(server: World, error: BaseException) -> None:
    with pytest.raises(type(error)):
        run_that_fails("ends", error)
    assert kinds(server, "ends") == []


def test_a_run_that_fails_before_its_first_turn_hides_no_earlier_checkpoint(server: World) -> None:
    with Checkpointer("fresh", every=1) as run:
        run.turn(working_memory="kept")
    with pytest.raises(OwnError) as failed, Checkpointer("fresh"):
        raise OwnError
    assert "no turn had been reported" in notes_of(failed)
    assert kinds(server, "fresh") == ["automatic"]


def test_a_run_that_was_resumed_and_fails_at_once_keeps_what_it_was_given(server: World) -> None:
    with pytest.raises(OwnError):
        run_that_fails("resumed", OwnError("first"))
    with pytest.raises(OwnError), Checkpointer("resumed", resume=True):
        raise OwnError("second")
    restored = restore("resumed")
    assert restored.checkpoint.turn == 1
    assert restored.state["working_memory"] == "before"
    assert restored.state["metadata"]["exception"]["message"] == "second"
    with Checkpointer("resumed", every=1, resume=True) as run:
        run.turn(working_memory="on")
    assert restore("resumed").state["metadata"] == {}


def test_the_first_exception_is_raised_where_the_checkpoint_is_refused(server: World) -> None:
    further = {"turn": 9, "working_memory": 1}
    with pytest.raises(OwnError) as failed:
        run_that_fails("refused", OwnError(), lambda: server.alice.ok("put", "sessions/refused/turn", further))
    assert "No checkpoint could be made: " in notes_of(failed)
    assert "9" in notes_of(failed)
