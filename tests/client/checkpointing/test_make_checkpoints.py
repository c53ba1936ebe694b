"""Checkpoints on demand."""

import pytest

from suture_client.checkpointing import Checkpointer, NotJson, restore
from tests.world import World

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_checkpoint_has_the_last_turns_state_and_a_label(server: World) -> None:
    with Checkpointer("manual") as run:
        run.turn(working_memory="one")
        made = run.checkpoint("before the risky part")
    assert (made.kind, made.turn, made.label, made.is_pinned) == ("manual", 1, "before the risky part", False)
    assert restore(checkpoint=made.id).state["working_memory"] == "one"


def test_a_checkpoint_may_have_a_state_of_its_own(server: World) -> None:
    with Checkpointer("own") as run:
        run.turn(working_memory="one")
        made = run.checkpoint(variables={"half": 0.5}, pin=True)
        assert made.is_pinned
    assert restore("own").variables().values == {"half": 0.5}


def test_there_may_be_several_in_one_turn(server: World) -> None:
    with Checkpointer("several") as run:
        run.turn(working_memory="one")
        ids = {run.checkpoint(str(number)).id for number in range(3)}
    assert len(ids) == 3


def test_without_a_state_there_is_none(server: World) -> None:
    with Checkpointer("empty") as run, pytest.raises(ValueError, match="no state yet"):
        run.checkpoint()


def test_what_is_no_json_is_named_and_nothing_is_made(server: World) -> None:
    with Checkpointer("strict") as run, pytest.raises(NotJson, match=r"^metadata\[.files.\] is set"):
        run.checkpoint(metadata={"files": {"a"}})
    assert server.alice.request("get", "sessions/strict").status_code == 404
