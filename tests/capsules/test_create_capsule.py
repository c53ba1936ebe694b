"""Making a capsule: what may be in it, for whom, and what is refused."""

import uuid

import pytest

from capsules.models import Capsule, CapsuleAudience, CapsuleItem, EffectiveCapsule
from governance.identity import identities
from governance.models import Agent, Content, Entry
from tests.owning import as_owner

CAPSULE = {"subject_type": "user", "subject_id": "jack", "scope": "user", "audience_agent_ids": ["alice"]}


@pytest.fixture
def refused(world):
    """`refused(body)` sends it as alice; answers the faults by place. Nothing may have been written."""

    def counts():
        with world.inside():
            return [model.objects.filter(tenant_id=world.tenant_id).count()
                    for model in (Capsule, CapsuleItem, CapsuleAudience, EffectiveCapsule, Entry)]  # fmt: skip

    def send(body, by=None):
        before = counts()
        response = (by or world.alice).post("capsules", body)
        assert response.status_code == 400, response.content
        assert counts() == before
        return {fault["pointer"]: fault["detail"] for fault in response.json()["errors"]}

    return send


def test_it_works(world, given):
    given("agent-bob")
    event = world.event("x", kind="artifact", content={"name": "plan.md", "media_type": "text/markdown"})
    items = {"chunks": [world.chunk()], "artifacts": [event["artifact_id"]]}
    body = {**CAPSULE, "audience_agent_ids": ["agent-bob"], "items": items, "note": "Take care", "risks": ["angry"]}

    made = world.alice.ok("post", "capsules", body)

    assert (made["status"], made["item_count"], made["audience_count"]) == ("active", 2, 1)
    read = given("agent-bob").ok("get", f"capsules/{made['capsule_id']}")
    assert (read["note"], read["risks"], read["importance"]) == ("Take care", ["angry"], 0.5)
    (artifact,) = read["items"]["artifacts"]
    assert (artifact["name"], artifact["media_type"], artifact["text"]) == ("plan.md", "text/markdown", "x")


def test_agents_are_named_by_id_or_by_slug(world, given):
    given("agent-bob")
    given("agent-charlie")
    with world.inside():
        bob = Agent.objects.get(tenant_id=world.tenant_id, slug="agent-bob")
    body = {**CAPSULE, "audience_agent_ids": [str(bob.id), "agent-charlie"], "items": {"chunks": [world.chunk()]}}

    capsule = world.alice.ok("post", "capsules", body)["capsule_id"]

    assert world.alice.ok("get", f"capsules/{capsule}")["audience"] == ["agent-bob", "agent-charlie"]


def test_every_wrong_place_is_named_at_once(world, elsewhere, refused):
    theirs = elsewhere.chunk()
    right, unknown = world.chunk(), str(uuid.uuid4())
    decision = world.event("x", kind="decision", content={"decision": "y"})["decision_id"]
    items = {"chunks": [right, theirs, unknown, decision], "artifacts": [str(uuid.uuid4())]}

    faults = refused({**CAPSULE, "audience_agent_ids": ["alice", "nobody", str(uuid.uuid4())], "items": items})

    assert set(faults) == {
        "#/items/chunks/1", "#/items/chunks/2", "#/items/chunks/3", "#/items/artifacts/0",
        "#/audience_agent_ids/1", "#/audience_agent_ids/2",
    }  # fmt: skip


def test_a_memory_of_another_tenant_looks_like_none(world, elsewhere, refused):
    (theirs,) = refused({**CAPSULE, "items": {"chunks": [elsewhere.chunk()]}}).values()
    (none,) = refused({**CAPSULE, "items": {"chunks": [str(uuid.uuid4())]}}).values()

    assert theirs == none


def test_an_agent_of_another_tenant_is_no_audience(world, elsewhere, refused):
    faults = refused(
        {**CAPSULE, "audience_agent_ids": [str(elsewhere.alice_principal.id)], "items": {"chunks": [world.chunk()]}}
    )

    assert set(faults) == {"#/audience_agent_ids/0"}


def test_an_inactive_agent_is_no_audience(world, given, refused):
    given("agent-bob")
    with world.inside(), as_owner():
        Agent.objects.filter(tenant_id=world.tenant_id, slug="agent-bob").update(is_active=False)

    assert refused({**CAPSULE, "audience_agent_ids": ["agent-bob"], "items": {"chunks": [world.chunk()]}})


@pytest.mark.parametrize("op", ["retract", "quarantine"])
def test_what_the_author_does_not_find_cannot_be_handed_over(world, refused, op):
    chunk = world.chunk()
    decision = world.event("x", kind="decision", content={"decision": "y"})
    artifact = world.event("x", kind="artifact", content={"name": "n", "media_type": "text/plain"})
    for target in (chunk, *decision["chunk_ids"], *artifact["chunk_ids"]):
        world.edit(target, op)
    items = {"chunks": [chunk], "decisions": [decision["decision_id"]], "artifacts": [artifact["artifact_id"]]}

    faults = refused({**CAPSULE, "items": items})

    assert set(faults) == {"#/items/chunks/0", "#/items/decisions/0", "#/items/artifacts/0"}


def test_what_is_blocked_where_the_author_speaks_cannot_be_handed_over_there(world, refused):
    chunk = world.chunk()
    world.edit(chunk, "block", channel="public")

    assert refused({**CAPSULE, "items": {"chunks": [chunk]}, "channel": "public"})
    assert refused({**CAPSULE, "items": {"chunks": [chunk]}})
    world.alice.ok("post", "capsules", {**CAPSULE, "items": {"chunks": [chunk]}, "channel": "private"})


def test_sensitive_memory_is_handed_over_where_it_may_be_heard(world, refused):
    chunk = world.chunk(sensitivity="high")

    assert refused({**CAPSULE, "items": {"chunks": [chunk]}, "channel": "public"})
    world.alice.ok("post", "capsules", {**CAPSULE, "items": {"chunks": [chunk]}, "channel": "private"})
    assert refused({**CAPSULE, "items": {"chunks": [world.chunk(sensitivity="secret")]}, "channel": "private"})


def test_a_channel_outside_the_key_is_refused(world, agent_in):
    body = {**CAPSULE, "items": {"chunks": [world.chunk()]}, "channel": "private"}

    assert agent_in("public").post("capsules", body).status_code == 403


def test_the_same_twice_is_refused(world, given, refused):
    given("agent-bob")
    with world.inside():
        bob = Agent.objects.get(tenant_id=world.tenant_id, slug="agent-bob")
    chunk = world.chunk()

    assert set(refused({**CAPSULE, "items": {"chunks": [chunk, chunk.upper()]}})) == {"#/items/chunks/1"}
    twice = {**CAPSULE, "audience_agent_ids": ["agent-bob", str(bob.id)], "items": {"chunks": [chunk]}}
    assert set(refused(twice)) == {"#/audience_agent_ids/1"}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("ttl_days", 0),
        ("ttl_days", 366),
        ("ttl_days", "many"),
        ("audience_agent_ids", []),
        ("audience_agent_ids", "alice"),
        ("audience_agent_ids", [" "]),
        ("items", {}),
        ("items", {"chunks": []}),
        ("items", {"chunks": ["no id"]}),
        ("items", {"words": []}),
        ("scope", "galaxy"),
        ("subject_id", ""),
        ("subject_type", None),
        ("note", " "),
        ("risks", "one"),
        ("risks", [""]),
        ("may_forward", "perhaps"),
        ("tenant_id", "x"),
        ("author", "bob"),
        ("status", "active"),
    ],
)
def test_bad_input_is_refused_with_its_place(world, refused, field, value):
    faults = refused({**CAPSULE, "items": {"chunks": [world.chunk()]}, field: value})

    assert all(place.startswith(f"#/{field}") for place in faults), faults


def test_more_than_500_items_are_refused(refused):
    chunks, decisions = ([str(uuid.uuid4()) for _ in range(count)] for count in (251, 250))

    faults = refused({**CAPSULE, "items": {"chunks": chunks, "decisions": decisions}})

    assert faults == {"#/items": "A capsule can have at most 500 items, not 501."}


def test_an_audience_of_ten_thousand_works(world):
    with world.inside(), as_owner():
        Agent.objects.bulk_create(Agent(tenant_id=world.tenant_id, slug=f"crowd-{number}") for number in range(9_999))
    last = identities.provision(world.slug, agents=[("crowd-last", [])]).agents["crowd-last"]["key"]
    names = [f"crowd-{number}" for number in range(9_999)]

    made = world.alice.ok(
        "post",
        "capsules",
        {**CAPSULE, "audience_agent_ids": [*names, "crowd-last"], "items": {"chunks": [world.chunk()]}},
    )

    assert made["audience_count"] == 10_000
    reader = type(world.alice)(last)
    assert [one["capsule_id"] for one in reader.ok("get", "capsules")["results"]] == [made["capsule_id"]]
    read = reader.ok("get", f"capsules/{made['capsule_id']}")
    assert (read["audience_count"], len(read["audience"])) == (10_000, 100)


def test_10_001_agents_are_too_many(world, refused):
    assert "#/audience_agent_ids" in refused(
        {**CAPSULE, "audience_agent_ids": [f"crowd-{n}" for n in range(10_001)], "items": {"chunks": [world.chunk()]}}
    )


def test_the_same_idempotency_key_makes_one_capsule(world):
    body = {**CAPSULE, "items": {"chunks": [world.chunk()]}}

    first = world.alice.post("capsules", body, **{"Idempotency-Key": "k"})
    again = world.alice.post("capsules", body, **{"Idempotency-Key": "k"})

    assert first.json() == again.json()
    assert again.headers["Idempotent-Replay"] == "true"
    with world.inside():
        assert Capsule.objects.filter(tenant_id=world.tenant_id).count() == 1


def test_the_entry_holds_ids_and_hashes_and_no_words(world, handed):
    capsule = handed([world.chunk("secret words")], note="a secret note", risks=["a secret risk"])

    with world.inside():
        entry = Entry.objects.filter(tenant_id=world.tenant_id, type="capsule.created").get()
    assert entry.metadata["capsule"] == capsule
    assert entry.metadata["actor"]["name"] == "alice"
    assert "secret" not in bytes(entry.canonical).decode()


def test_secrets_are_taken_out_of_the_words(world, handed):
    key = "AKIA" + "IOSFODNN7EXAMPLE"
    capsule = handed([world.chunk()], note=f"the key is {key}", risks=[f"it uses {key}"])

    assert key not in str(world.alice.ok("get", f"capsules/{capsule}"))


def test_an_auditor_hands_nothing_over(world):
    assert world.auditor.post("capsules", {**CAPSULE, "items": {"chunks": [world.chunk()]}}).status_code == 403


@pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])
def test_note_and_risks_lie_in_content_only(world, handed, owner):
    handed([world.chunk()], note="the note's words", risks=["the risk's words"])

    with world.inside("owner"):
        tables = ["capsules_capsule", "capsules_capsuleitem", "capsules_capsuleaudience", "capsules_effectivecapsule"]
        for table in tables:
            rows = owner(f"SELECT t::text AS row FROM {table} t WHERE tenant_id = %s", [world.tenant_id])
            assert rows
            assert not any("words" in row["row"] for row in rows)
        assert Content.objects.using("owner").filter(tenant_id=world.tenant_id, body__contains="'s words").count() == 2
