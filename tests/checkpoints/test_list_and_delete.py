"""Which checkpoints a session has, its settings, and deleting them."""

import secrets
import uuid

import pytest

from governance.identity import identities
from governance.models import Entry
from memory.api import checkpoints as views
from memory.checkpoints import removing
from tests.checkpoints.sessions import STATE, Session, files_in, refused
from tests.world import Api

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin(world):
    name = f"carol-{secrets.token_hex(4)}"
    return Api(identities.provision(world.slug, people=[(name, "admin")]).users[name]["key"])


def test_the_newest_come_first_in_pages(session):
    ids = [session.checkpoint(turn=number)["id"] for number in range(5)]
    first = session.ok("get", "/checkpoints?limit=2")
    assert [one["id"] for one in first["results"]] == ids[:2:-1]
    second = session.ok("get", f"/checkpoints?limit=2&cursor={first['next']}")
    third = session.ok("get", f"/checkpoints?limit=2&cursor={second['next']}")
    assert [one["id"] for page in (second, third) for one in page["results"]] == ids[2::-1]
    assert third["next"] is None


def test_they_are_filtered_by_depth_and_kind(session):
    manual, deep = session.checkpoint(), session.checkpoint(depth=1)
    failed = session.checkpoint(kind="exception")
    assert [one["id"] for one in session.listed("?depth=0")] == [failed["id"], manual["id"]]
    assert [one["id"] for one in session.listed("?depth=1")] == [deep["id"]]
    assert [one["id"] for one in session.listed("?kind=exception")] == [failed["id"]]
    assert session.listed("?kind=automatic") == []
    for query in ("?depth=x", "?depth=65", "?kind=x", "?state=1"):
        refused(session.ask("get", f"/checkpoints{query}"), 400)


def test_they_are_ordered_by_label(session):
    unlabelled = session.checkpoint()
    ids = {label: session.checkpoint(label=label)["id"] for label in ("b", "a ", "B", "a", "ä", "c")}
    again = session.checkpoint(label="a")["id"]
    wanted = [ids["ä"], ids["c"], ids["b"], ids["a "], again, ids["a"], ids["B"]]
    assert [one["id"] for one in session.listed("?order=label")] == wanted
    assert unlabelled["id"] not in wanted
    paged, cursor = [], ""
    while cursor is not None:
        page = session.ok("get", f"/checkpoints?order=label&limit=2{cursor and f'&cursor={cursor}'}")
        paged += [one["id"] for one in page["results"]]
        cursor = page["next"]
    assert paged == wanted
    assert [one["id"] for one in session.listed("?order=label&label_prefix=a")] == wanted[3:6]
    newest = session.ok("get", "/checkpoints?limit=2")["next"]
    refused(session.ask("get", f"/checkpoints?order=label&cursor={newest}"), 400)
    refused(session.ask("get", "/checkpoints?order=name"), 400)


def test_a_page_has_the_states_if_they_are_asked_for(session):
    made = [session.checkpoint(turn=number, repl_state={"n": number}) for number in range(3)]
    found = session.listed("?include_state=true")
    assert [one["state"]["repl_state"] for one in found] == [{"n": 2}, {"n": 1}, {"n": 0}]
    assert found[0].pop("state") == {**STATE, "repl_state": {"n": 2}, "depth": 0, "format_version": "1.0"}
    assert found[0] == made[2]
    assert session.ok("get")["status"] == "running"  # they were read, not restored


def test_a_page_with_states_ends_before_it_is_too_large(session, monkeypatch):
    monkeypatch.setattr(views, "MAX_STATES", 4_000)
    sizes = [100, 100, 5_000, 1_000, 1_000]
    ids = [session.checkpoint(working_memory="x" * size)["id"] for size in sizes][::-1]
    pages, cursor = [], ""
    while cursor is not None:
        page = session.ok("get", f"/checkpoints?include_state=true{cursor and f'&cursor={cursor}'}")
        pages.append([one["id"] for one in page["results"]])
        cursor = page["next"]
    assert pages == [ids[:2], ids[2:3], ids[3:]]
    assert len(session.listed()) == 5


def test_nobody_reads_the_states_of_a_page_who_cannot_read_one(session, admin, world, agent_in):
    made = session.checkpoint(is_pinned=True)
    page = "/checkpoints?include_state=true"
    refused(session.by(admin, owner="alice").ask("get", page), 403, "only-agents")
    refused(session.by(world.bob).ask("get", page), 403, "only-agents")
    refused(session.by(agent_in("private"), owner="alice").ask("get", page), 403, "session-of-another")
    refused(session.by(agent_in("private")).ask("get", page), 404, "no-such-session")
    world.alice.ok("delete", f"checkpoints/{made['id']}")
    assert session.listed("?include_state=true") == []


def test_a_page_with_a_damaged_state_is_refused(session, root):
    session.checkpoint()
    made = session.checkpoint()
    (root / made["path"]).write_bytes(b"x" * made["stored_size"])
    refused(session.ask("get", "/checkpoints?include_state=true"), 409, "checkpoint-damaged")
    assert len(session.listed()) == 2


def test_a_page_of_a_taken_session_is_an_entry_once(session, world, given):
    dora = given("agent-dora")
    for _ in range(3):
        session.checkpoint()
    session.ok("put", "/shares", {"agents": ["agent-dora"]})
    hers = session.by(dora, owner="alice")
    assert len(hers.listed("?include_state=true&limit=2")) == len(hers.listed("?include_state=true")) - 1 == 2
    with world.inside():
        assert Entry.objects.filter(tenant_id=world.tenant_id, type="session.taken").count() == 1


def test_the_latest_is_the_newest(session):
    refused(session.ask("get", "/checkpoints/latest"), 404, "no-such-session")
    session.turn(1)
    refused(session.ask("get", "/checkpoints/latest"), 404, "no-such-checkpoint")
    session.checkpoint(turn=2)
    newest = session.checkpoint(turn=2, depth=3)
    assert session.ok("get", "/checkpoints/latest") == newest


def test_a_session_says_its_settings(session):
    session.turn(1)
    assert session.ok("get") == {
        "session_id": session.id,
        "agent": "alice",
        "turn": 1,
        "status": "running",
        "resumed_from": None,
        "resumed_at": None,
        "shared_with": [],
        "checkpoint_every": 5,
        "keep": 10,
    }
    assert session.ok("put", "", {"keep": 3})["keep"] == 3
    changed = session.ok("put", "", {"checkpoint_every": 2})
    assert (changed["keep"], changed["checkpoint_every"]) == (3, 2)
    assert session.turn(2)["checkpoint"]["turn"] == 2
    for body in ({"keep": 0}, {"keep": 10_001}, {"checkpoint_every": 1001}, {"keep": "3"}, {"kept": 3}):
        refused(session.ask("put", "", body), 400)


def test_one_is_deleted(session, root, world):
    kept, deleted = session.checkpoint(), session.checkpoint(label="about Jack")
    assert world.alice.ok("delete", f"checkpoints/{deleted['id']}") == {"deleted": 1}
    assert [one["id"] for one in session.listed()] == [kept["id"]]
    for response in (
        world.alice.get(f"checkpoints/{deleted['id']}"),
        world.alice.post(f"checkpoints/{deleted['id']}/restore", {}),
        world.alice.post("checkpoints/restore", {"path": deleted["path"]}),
        world.alice.request("delete", f"checkpoints/{deleted['id']}"),
        world.alice.request("put", f"checkpoints/{deleted['id']}/pin", {"is_pinned": True}),
    ):
        refused(response, 404, "checkpoint-removed")
    assert removing.delete_files() == 1
    assert files_in(root) == [kept["path"]]
    assert removing.delete_files() == 0


def test_those_that_are_named_are_deleted_in_one_act(session, root, world):
    first, kept, third = (session.checkpoint(is_pinned=True)["id"] for _ in range(3))
    other = Session(world.alice, "another").checkpoint()["id"]
    named = {"ids": [third, first, first, other, str(uuid.uuid4())]}
    headers = {"Idempotency-Key": "once"}
    assert session.ask("post", "/checkpoints/delete", named, **headers).json() == {"deleted": 2}
    assert session.ask("post", "/checkpoints/delete", named, **headers).json() == {"deleted": 2}
    assert session.ok("post", "/checkpoints/delete", named) == {"deleted": 0}
    assert [one["id"] for one in session.listed()] == [kept]
    assert removing.delete_files() == 2
    with world.inside():
        (entry,) = Entry.objects.filter(tenant_id=world.tenant_id, type="checkpoint.deleted")
    assert entry.metadata["checkpoints"] == [first, third]


def test_only_its_owner_and_an_admin_delete_those_that_are_named(session, admin, given):
    dora = given("agent-dora")
    ids = [session.checkpoint()["id"] for _ in range(2)]
    session.ok("put", "/shares", {"agents": ["agent-dora"], "may_continue": True})
    hers = session.by(dora, owner="alice")
    refused(hers.ask("post", "/checkpoints/delete", {"ids": ids}), 403, "session-of-another")
    refused(session.by(dora).ask("post", "/checkpoints/delete", {"ids": ids}), 404, "no-such-session")
    assert session.by(admin, owner="alice").ok("post", "/checkpoints/delete", {"ids": ids[:1]}) == {"deleted": 1}
    problem = refused(session.ask("post", "/checkpoints/delete", {"ids": [ids[1], "x"]}), 400)
    assert problem["errors"][0]["pointer"] == "#/ids/1"
    assert len(session.listed()) == 1


def test_all_are_deleted_pinned_ones_too(session, root):
    for number in range(3):
        session.checkpoint(is_pinned=number == 1)
    assert session.ok("delete", "/checkpoints") == {"deleted": 3}
    assert session.ok("delete", "/checkpoints") == {"deleted": 0}
    assert removing.delete_files() == 3
    assert files_in(root) == []
    assert session.checkpoint()


def test_a_deleted_session_takes_nothing_more(session, root, world, given):
    given("agent-bob")
    made = session.checkpoint(is_pinned=True)
    session.checkpoint()
    session.ok("put", "/shares", {"agents": ["agent-bob"]})
    assert session.ok("delete") == {"deleted": 2}
    for response in (
        session.ask("post", "/checkpoints", STATE),
        session.ask("put", "/turn", {"turn": 9, **STATE}),
        session.ask("get"),
        session.ask("get", "/checkpoints"),
        session.ask("put", "/shares", {"agents": []}),
        session.ask("delete"),
    ):
        refused(response, 404, "session-deleted")
    refused(world.alice.post(f"checkpoints/{made['id']}/restore", {}), 404, "checkpoint-removed")
    assert world.alice.ok("get", "sessions")["results"] == []
    assert removing.delete_files() == 2
    assert files_in(root) == []
    with world.inside():
        entry = Entry.objects.get(tenant_id=world.tenant_id, type="session.deleted")
    assert (entry.metadata["session_id"], len(entry.metadata["checkpoints"])) == (session.id, 2)


def test_a_deletion_is_in_the_ledger(session, world):
    ids = sorted(session.checkpoint()["id"] for _ in range(2))
    session.ok("delete", "/checkpoints")
    with world.inside():
        entry = Entry.objects.filter(tenant_id=world.tenant_id, type="checkpoint.deleted").get()
    assert entry.metadata["checkpoints"] == ids


def test_an_admin_lists_and_deletes_and_reads_no_state(session, admin, world):
    made, other = session.checkpoint(), session.checkpoint()
    refused(session.by(admin).ask("get", "/checkpoints"), 400, "owner-missing")
    theirs = session.by(admin, owner="alice")
    assert [one["id"] for one in theirs.listed()] == [other["id"], made["id"]]
    refused(admin.get(f"checkpoints/{made['id']}?include_state=true"), 403, "only-agents")
    refused(admin.post(f"checkpoints/{made['id']}/restore", {}), 403, "only-agents")
    assert admin.ok("delete", f"checkpoints/{made['id']}") == {"deleted": 1}
    assert theirs.ok("delete", "/checkpoints") == {"deleted": 1}
    for person in (world.bob, world.auditor):
        refused(session.by(person).ask("get", "/checkpoints"), 403, "only-agents")


def test_what_is_deleted_makes_room(session, settings):
    settings.CHECKPOINT_QUOTA_MIB = 1
    big = {"working_memory": "".join(secrets.token_hex(32) for _ in range(20_000))}  # 625 KiB, compressed
    made = session.ok("post", "/checkpoints", big)
    problem = refused(session.ask("post", "/checkpoints", big), 413, "checkpoint-quota-reached")
    assert f"{made['stored_size']:,} of 1,048,576 bytes" in problem["detail"]
    session.ok("delete", "/checkpoints")
    session.ok("post", "/checkpoints", big)


@pytest.mark.django_db(transaction=True)
def test_of_two_checkpoints_at_once_the_quota_takes_one(world, at_once, settings):
    settings.CHECKPOINT_QUOTA_MIB = 1
    big = {"working_memory": "".join(secrets.token_hex(32) for _ in range(20_000))}
    answers = at_once(*[lambda n=n: Session(world.alice, f"s{n}").ask("post", "/checkpoints", big) for n in range(3)])
    assert sorted(one.status_code for one in answers) == [201, 413, 413]
