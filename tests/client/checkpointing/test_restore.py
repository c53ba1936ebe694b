"""Restoring by session, by id and by path: the whole state, and corrections since."""

import uuid

import pytest

from suture_client.checkpointing import Checkpointer, Problem, restore
from tests.world import World

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_newest_checkpoint_of_a_session_one_by_id_and_one_by_path(server: World) -> None:
    with Checkpointer("s/1", every=1) as run:
        first, second = (run.turn(working_memory=number).checkpoint for number in (1, 2))
    assert first is not None
    assert second is not None
    assert restore("s/1").checkpoint == second
    for found in (restore(checkpoint=first.id), restore(checkpoint=uuid.UUID(first.id)), restore(path=first.path)):
        assert found.checkpoint == first
        assert found.state["working_memory"] == 1
    session = server.alice.ok("get", "sessions/s%2F1")
    assert (session["status"], session["turn"], session["resumed_from"]) == ("resumed", 1, first.id)


def test_memories_that_changed_since_are_named(server: World) -> None:
    kept, amended, retracted = (server.chunk(text) for text in ("It stays.", "It is amended.", "It is retracted."))
    with Checkpointer("corrected", every=1) as run:
        run.turn(variables={"read": {uuid.UUID(kept), uuid.UUID(amended)}}, messages=[{"content": f"See {retracted}."}])
    assert restore("corrected").corrections == []
    server.edit(amended, "amend", text="It was amended.")
    server.edit(retracted, "retract")
    found = {one.chunk_id: one for one in restore("corrected").corrections}
    assert {name: one.change for name, one in found.items()} == {amended: "amended", retracted: "retracted"}
    assert (found[amended].version_then, found[amended].version_now) == (0, 1)


@pytest.mark.parametrize("path", ["../../etc/passwd", "/etc/passwd", "nobody/nothing"])
def test_a_path_that_is_no_checkpoint_is_refused(server: World, path: str) -> None:
    with pytest.raises(Problem) as refused:
        restore(path=path)
    assert refused.value.status in {400, 404}


def test_what_is_not_there_is_refused(server: World) -> None:
    for missing in ({"session_id": "nobody"}, {"checkpoint": uuid.uuid4()}):
        with pytest.raises(Problem) as refused:
            restore(**missing)
        assert refused.value.status == 404


def test_one_checkpoint_must_be_named() -> None:
    for named in ({}, {"session_id": "a", "path": "b"}):
        with pytest.raises(ValueError, match="Give exactly one"):
            restore(**named)  # type: ignore[arg-type] # that is the test
