"""Checkpoints that may repeat erased words."""

import secrets
import uuid

import pytest
import uuid_utils

from governance.ledger.verification import verify
from memory.checkpoints import removing, state_ids
from memory.models import CheckpointMemory, CheckpointRemoval
from tests.checkpoints.sessions import Session, files_in, refused
from tests.checkpoints.test_corrections import deliver
from tests.erasure.conftest import admins_of

pytestmark = pytest.mark.django_db


def words_in(root, text):
    """Whether a file below the root has a text, decompressed."""
    import zstandard

    contents = [zstandard.ZstdDecompressor().decompress((root / path).read_bytes()) for path in files_in(root)]
    return any(text.encode() in content for content in contents)


@pytest.fixture
def admins(world):
    return admins_of(world)


def test_a_checkpoint_that_names_an_erased_chunk_is_removed_with_its_file(session, world, admins, root):
    event = world.event("Jack likes zanzibar tea")
    chunk = event["chunk_ids"][0]
    named = session.checkpoint(working_memory={chunk: "Jack likes zanzibar tea"}, label="tea", is_pinned=True)
    other = session.checkpoint(working_memory={})
    dry = admins.dry_run(by="chunk", id=chunk)
    assert (dry["checkpoints_removed"], dry["checkpoints_to_check"]) == ([named["id"]], [other["id"]])
    receipt = admins.erase(by="chunk", id=chunk)
    refused(world.alice.post(f"checkpoints/{named['id']}/restore", {}), 404, "checkpoint-removed")
    assert [one["id"] for one in session.listed()] == [other["id"]]
    assert receipt["scope"]["checkpoints_removed"] == [named["id"]]
    assert words_in(root, "zanzibar")
    removing.delete_files()
    assert not words_in(root, "zanzibar")
    assert files_in(root) == [other["path"]]
    with world.inside():
        removal = CheckpointRemoval.objects.get(tenant_id=world.tenant_id)
    assert (removal.reason, str(removal.erasure_id)) == ("erased", receipt["erasure_id"])


def test_a_checkpoint_with_more_ids_than_are_compared_is_listed_and_stays(session, world, admins, monkeypatch):
    monkeypatch.setattr(state_ids, "MAX_NAMED", 3)
    chunk = world.chunk("Jack likes zanzibar tea")
    few = session.checkpoint(working_memory=[str(uuid.uuid4()) for _ in range(3)])
    Session(world.alice, "another").checkpoint(working_memory=[str(uuid.uuid4()) for _ in range(3)])
    many = session.checkpoint(working_memory=[str(uuid_utils.uuid7()) for _ in range(4)])
    dry = admins.dry_run(by="chunk", id=chunk)
    assert many["id"] in dry["checkpoints_to_check"]
    assert dry["checkpoints_removed"] == []
    with world.inside():
        counts = CheckpointMemory.objects.values_list("checkpoint_id", flat=True)
        assert list(map(str, counts)) == [many["id"]]
    assert [one["id"] for one in session.listed()] == [many["id"], few["id"]]


def test_an_event_that_is_named_counts_too(session, world, admins):
    event = world.event("Jack likes zanzibar tea")
    named = session.checkpoint(messages=[event["event_id"]])
    admins.erase(by="event", id=event["event_id"])
    refused(world.alice.get(f"checkpoints/{named['id']}"), 404, "checkpoint-removed")


def test_checkpoints_of_the_session_that_recorded_it_are_removed(world, admins):
    session = Session(world.alice, "session-9")
    made = session.checkpoint()
    event = world.event("Jack likes zanzibar tea", session_id="session-9")
    admins.erase(by="event", id=event["event_id"])
    assert session.listed() == []
    refused(world.alice.get(f"checkpoints/{made['id']}"), 404, "checkpoint-removed")


def test_what_another_agent_recorded_in_its_session_of_the_name_is_listed_and_stays(world, admins, agent_in):
    session = Session(world.alice, "session-9")
    made = session.checkpoint()
    theirs = Session(agent_in("private"), "session-9").checkpoint()
    event = world.event("Jack likes zanzibar tea", session_id="session-9")
    receipt = admins.erase(by="event", id=event["event_id"])
    assert receipt["scope"]["checkpoints_removed"] == [made["id"]]
    assert receipt["scope"]["checkpoints_to_check"] == [theirs["id"]]


@pytest.mark.parametrize("session_id", ["run/7:main?#%", None])
def test_checkpoints_of_a_session_that_was_given_it_are_removed(session, world, admins, session_id):
    before = session.checkpoint()
    event = world.event("Jack likes zanzibar tea")
    deliver(world, event["chunk_ids"][0], session_id=session_id)
    session.checkpoint()
    admins.erase(by="event", id=event["event_id"])
    assert [one["id"] for one in session.listed()] == [before["id"]]


def test_what_was_given_in_another_session_is_listed_and_stays(session, world, admins, agent_in):
    event = world.event("Jack likes zanzibar tea")
    deliver(world, event["chunk_ids"][0], session_id="another")
    made = session.checkpoint()
    Session(agent_in("private"), "of somebody else").checkpoint()
    receipt = admins.erase(by="event", id=event["event_id"])
    assert receipt["scope"]["checkpoints_to_check"] == [made["id"]]
    assert receipt["scope"]["checkpoints_removed"] == []
    assert len(session.listed()) == 1
    assert admins.carol.ok("delete", f"checkpoints/{made['id']}") == {"deleted": 1}


def test_an_erasure_by_subject_reaches_them(session, world, admins):
    about = {"scope": "user", "subject_type": "user", "subject_id": "jack"}
    chunk = world.chunk("Jack likes zanzibar tea", **about)
    session.checkpoint(working_memory=chunk)
    admins.erase(by="subject", subject_type="user", subject_id="jack")
    assert session.listed() == []


def test_an_erasure_by_agent_removes_all_states_of_the_agent(world, admins, agent_in):
    world.event("Jack likes zanzibar tea")
    mine = Session(world.alice, "mine")
    mine.checkpoint()
    theirs = Session(agent_in("private"), "theirs")
    theirs.checkpoint()
    admins.erase(by="agent", agent="alice")
    assert mine.listed() == []
    assert len(theirs.listed()) == 1


def test_a_rejected_erasure_removes_nothing(session, world, admins):
    chunk = world.chunk("Jack likes zanzibar tea")
    session.checkpoint(working_memory=chunk)
    erasure = admins.propose(by="chunk", id=chunk)
    admins.dave.ok("post", f"erasures/{erasure}/reject", {"reason": "no"})
    assert len(session.listed()) == 1


def test_another_tenant_keeps_its_checkpoints(session, world, admins, charlie):
    chunk = world.chunk("Jack likes zanzibar tea")
    theirs = session.by(charlie)
    theirs.checkpoint(working_memory=chunk)
    admins.erase(by="chunk", id=chunk)
    assert len(theirs.listed()) == 1


def test_room_is_made(session, world, admins, settings):
    settings.CHECKPOINT_QUOTA_MIB = 1
    chunk = world.chunk("Jack likes zanzibar tea")
    big = "".join(secrets.token_hex(32) for _ in range(20_000))
    session.checkpoint(working_memory=[chunk, big])
    admins.erase(by="chunk", id=chunk)
    session.checkpoint(working_memory=big)


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
def test_the_ledger_still_verifies(session, world):
    admins = admins_of(world)
    chunk = world.chunk("Jack likes zanzibar tea")
    session.checkpoint(working_memory=chunk)
    admins.erase(by="chunk", id=chunk)
    report = verify(world.tenant_id)
    assert report.ok, report.findings
