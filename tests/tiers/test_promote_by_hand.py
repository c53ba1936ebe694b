"""People and permitted agents move memory by hand, with a reason; governance wins over them too."""

import uuid

import pytest

from governance.models import Agent as AgentModel
from governance.models import Entry, Tenant
from tests.curation.agent import Agent
from tests.owning import as_owner
from tests.tiers.usage import DAY, NOW
from tests.tools.calls import faults

pytestmark = pytest.mark.django_db


def promote(api, chunk, tier, reason="a test"):
    return api.post(f"chunks/{chunk}/promote", {"tier": tier, "reason": reason})


def allow(world, *agents):
    with world.inside(), as_owner():
        Tenant.objects.filter(id=world.tenant_id).update(promotion_rules={"promoting_agents": list(agents)})


@pytest.mark.parametrize("tier", ["session", "longterm", "archive"])
def test_a_reviewer_moves_a_memory(world, usage, tier):
    chunk = world.chunk()
    answer = promote(world.bob, chunk, tier, "It matters")
    assert answer.status_code == 201
    made = answer.json()
    assert (made["from_tier"], made["to_tier"], made["kind"], made["reason"]) == ("task", tier, "manual", "It matters")
    assert (made["promoter_kind"], made["promoter"], made["number"]) == ("human", world.bob_name, 1)
    assert made["evidence"]["thresholds"]["sessions"] == 3
    assert usage.tier(chunk) == tier
    with world.inside():
        entry = Entry.objects.get(tenant_id=world.tenant_id, type="promotion")
    assert (entry.metadata["kind"], entry.metadata["reason"]) == ("manual", "It matters")
    assert entry.metadata["chunks"] == [chunk]
    assert entry.metadata["actor"]["name"] == world.bob_name


def test_agents_may_if_the_policy_names_them(world, usage):
    chunk = world.chunk()
    refused = promote(world.alice, chunk, "session")
    assert refused.status_code == 403
    assert "promoting_agents" in refused.json()["detail"]
    allow(world, "alice")
    assert promote(world.alice, chunk, "session").status_code == 201
    assert usage.tier(chunk) == "session"


def test_an_auditor_may_not(world):
    assert promote(world.auditor, world.chunk(), "session").status_code == 403


def test_an_agent_moves_only_what_it_may_read(world, agent_in):
    secret = world.chunk(channel="private")
    api = agent_in("public")
    with world.inside():
        names = list(AgentModel.objects.filter(tenant_id=world.tenant_id).values_list("slug", flat=True))
    allow(world, *names)
    assert promote(api, secret, "session").status_code == 404
    assert promote(api, str(uuid.uuid4()), "session").status_code == 404


def test_the_memory_of_another_tenant_does_not_exist(world, elsewhere):
    assert promote(world.bob, elsewhere.chunk(), "session").status_code == 404


def test_the_same_tier_is_a_conflict(world):
    answer = promote(world.bob, world.chunk(), "task")
    assert list(faults(answer, 409)) == ["#/tier"]
    assert "already in the tier task" in answer.json()["detail"]


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"tier": "shelf", "reason": "a test"}, "#/tier"),
        ({"reason": "a test"}, "#/tier"),
        ({"tier": "session"}, "#/reason"),
        ({"tier": "session", "reason": ""}, "#/reason"),
        ({"tier": "session", "reason": "a test", "force": True}, "#/force"),
    ],
)
def test_a_bad_body_is_refused_with_its_place(world, body, pointer):
    assert list(faults(world.bob.post(f"chunks/{world.chunk()}/promote", body), 400)) == [pointer]


@pytest.mark.parametrize("op", ["retract", "quarantine"])
@pytest.mark.parametrize("tier", ["session", "longterm", "archive"])
def test_hidden_memory_is_refused_with_the_reason(world, usage, op, tier):
    chunk = world.chunk()
    world.edit(chunk, op)
    answer = promote(world.bob, chunk, tier)
    assert answer.status_code == 409
    assert "retracted" in answer.json()["detail"] or "quarantined" in answer.json()["detail"]
    assert usage.tier(chunk) == "task"


def test_superseded_memory_is_refused(world):
    agent = Agent(world.alice)
    made = agent.commit("Jack likes tea")
    agent.rethink([made["seq"]], "Jack likes green tea")
    answer = promote(world.bob, made["chunk_id"], "longterm")
    assert (answer.status_code, "place" in answer.json()["detail"]) == (409, True)


def test_core_memory_is_not_archived(world):
    made = Agent(world.alice).update("persona", "I am Ada")
    answer = promote(world.bob, made["chunk_id"], "archive")
    assert (answer.status_code, "Core" in answer.json()["detail"]) == (409, True)
    assert promote(world.bob, made["chunk_id"], "longterm").status_code == 201


def test_what_is_hardly_trusted_moves_not_up_but_down(world, usage):
    chunk = world.chunk()
    usage.put_in(chunk, "session")
    usage.confident(chunk, "0.29", NOW - DAY, is_failure=True)
    answer = promote(world.bob, chunk, "longterm")
    assert (answer.status_code, "low_trust" in answer.json()["detail"]) == (409, True)
    assert promote(world.bob, chunk, "archive").status_code == 201
    assert promote(world.bob, chunk, "session").status_code == 409
    assert promote(world.bob, chunk, "task").status_code == 201


def test_what_is_restored_stays_for_another_ninety_days(world, usage):
    chunk = world.chunk()
    usage.used(chunk, "one", at=NOW - 400 * DAY)
    usage.put_in(chunk, "archive", at=NOW - 100 * DAY)
    restored = promote(world.bob, chunk, "longterm").json()
    assert (restored["from_tier"], restored["number"]) == ("archive", 4)
    usage.run(NOW)
    assert (usage.tier(chunk), usage.check(chunk).failed) == ("longterm", "unused_days")
    usage.run(NOW + 91 * DAY)
    assert usage.tier(chunk) == "archive"


def test_after_a_move_down_only_new_uses_count(world, usage):
    chunk = world.chunk()
    usage.used(chunk, "one", times=5, at=NOW - DAY)
    usage.put_in(chunk, "longterm", at=NOW - DAY)
    assert promote(world.bob, chunk, "task").status_code == 201
    usage.run(NOW)
    assert (usage.tier(chunk), usage.check(chunk).evidence["uses_in_session"]) == ("task", 0)
    usage.used(chunk, "two", times=2, at=NOW + DAY)
    usage.run(NOW + DAY)
    assert usage.tier(chunk) == "session"


def test_a_retried_request_moves_once(world, usage):
    chunk = world.chunk()
    body = {"tier": "session", "reason": "a test"}
    answers = [
        world.bob.post(f"chunks/{chunk}/promote", body, **{"Idempotency-Key": "once-and-for-all"}) for _ in range(2)
    ]
    assert [one.status_code for one in answers] == [201, 201]
    assert len(usage.moves(chunk)) == 1


@pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])
def test_two_at_once_move_it_once(world, usage, at_once, no_drift):
    chunk = world.chunk()
    answers = at_once(*[lambda: promote(world.bob, chunk, "session")] * 3)
    assert sorted(one.status_code for one in answers) == [201, 409, 409]
    assert len(usage.moves(chunk)) == 1
    no_drift()
