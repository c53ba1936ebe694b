"""Operations that must not be lost are pending until any agent completes them."""

from typing import Any

import pytest

from suture_client.checkpointing import Checkpointer, NotJson, restore
from tests.world import World

pytestmark = pytest.mark.django_db(transaction=True)


def pending_in(session: str) -> list[tuple[str, dict[str, Any], bool]]:
    return [(one.id, one.operation, one.is_done) for one in restore(session).pending]


def test_an_operation_is_in_a_checkpoint_before_it_begins(server: World) -> None:
    mail = {"id": "mail-1", "to": "ann@example.org"}
    with Checkpointer("mails") as run:
        run.turn(working_memory="written")
        with run.pending(mail) as begun:
            assert begun.operation == mail
            assert pending_in("mails") == [("mail-1", mail, False)]
            assert restore("mails").state["working_memory"] == "written"
        assert run.unfinished == []
    assert pending_in("mails") == [("mail-1", mail, True)]


def test_an_operation_that_fails_stays_pending(server: World) -> None:
    def send() -> None:
        with Checkpointer("mails") as run:
            run.turn(working_memory="written")
            with run.pending({"id": "mail-1"}):
                raise ConnectionError

    with pytest.raises(ConnectionError):
        send()
    restored = restore("mails")
    assert restored.checkpoint.kind == "exception"
    assert [(one.id, one.is_done) for one in restored.pending] == [("mail-1", False)]


def test_a_run_that_goes_on_finishes_what_was_pending(server: World) -> None:
    with Checkpointer("mails", every=1) as run:
        run.turn(working_memory="written")
        run.pending({"id": "a/b:1", "to": "ann"})
        run.pending({"id": "mail-2", "to": "bob"})
    with Checkpointer("mails", every=1, resume=True) as run:
        assert [(one.id, one.operation["to"]) for one in run.unfinished] == [("a/b:1", "ann"), ("mail-2", "bob")]
        run.unfinished[0].done("sent by hand")
        made = run.turn(working_memory="on").checkpoint
        assert made is not None
    assert [(one.id, one.is_done) for one in restore(checkpoint=made.id).pending] == [("mail-2", False)]
    assert run.restored is not None
    earlier = restore(checkpoint=run.restored.checkpoint.id)
    assert [(one.id, one.is_done) for one in earlier.pending] == [("a/b:1", True), ("mail-2", False)]


def test_it_is_done_in_every_checkpoint_that_lists_it(server: World) -> None:
    with Checkpointer("mails", every=1) as run:
        begun = run.pending({"id": "slow"})
        checkpoints = [run.turn(working_memory=number).checkpoint for number in range(2)]
        begun.done()
    for one in checkpoints:
        assert one is not None
        assert [pending.is_done for pending in restore(checkpoint=one.id).pending] == [True]


def test_it_is_done_although_newer_checkpoints_took_the_place_of_one_that_lists_it(server: World) -> None:
    with Checkpointer("mails", every=1) as run:
        begun = run.pending({"id": "slow"})
        listed = server.alice.ok("get", "sessions/mails/checkpoints")["results"]
        server.alice.ok("delete", f"checkpoints/{listed[0]['id']}")
        begun.done()
        assert run.unfinished == []


def test_operations_given_with_the_state_are_listed_too(server: World) -> None:
    with Checkpointer("mails", every=1) as run:
        run.pending({"id": "one"}, save=False)
        run.turn(pending_operations=[{"id": "two"}, {"do": "three"}])
    assert [id for id, _, _ in pending_in("mails")] == ["two", "1", "one"]


def test_an_operation_without_an_id_gets_one(server: World) -> None:
    with Checkpointer("mails") as run:
        first, second = run.pending({"do": 1}), run.pending({"do": 1})
    assert first.id != second.id


def test_an_operation_restored_alone_is_marked_done(server: World) -> None:
    with Checkpointer("mails") as run:
        run.pending({"id": "one"})
    (one,) = restore("mails").pending
    one.done()
    one.done()
    assert one.is_done
    assert pending_in("mails") == [("one", {"id": "one"}, True)]


def test_two_operations_of_one_id_are_refused(server: World) -> None:
    with Checkpointer("mails") as run:
        run.pending({"id": "one"})
        with pytest.raises(ValueError, match="'one' is already pending"):
            run.pending({"id": "one"})
        with pytest.raises(NotJson, match=r"^operation\[.to.\] is set"):
            run.pending({"id": "two", "to": {"ann"}})
        assert [one.id for one in run.unfinished] == ["one"]
