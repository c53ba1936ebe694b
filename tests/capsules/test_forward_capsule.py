"""Forwarding a capsule: narrowed, never beyond the original's expiry, and revoked with it."""

from datetime import timedelta

import pytest

from capsules.models import EffectiveCapsule
from governance.models import Entry

OWNER = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])


@pytest.fixture
def forward(given):
    """`forward(capsule, "agent-bob", "agent-charlie")` lets bob pass it on to charlie; answers the response."""

    def send(capsule, by, *to, **fields):
        for name in to:
            given(name)
        return given(by).post(f"capsules/{capsule}/forward", {"audience_agent_ids": list(to), **fields})

    return send


def forwarded(response):
    assert response.status_code == 201, response.content
    return response.json()["capsule_id"]


def test_it_works(world, given, handed, forward):
    chunk = world.chunk("Jack is on the premium plan")
    capsule = handed([chunk], may_forward=True, note="Take care", risks=["angry"])

    passed = forwarded(forward(capsule, "agent-bob", "agent-charlie"))

    read = given("agent-charlie").ok("get", f"capsules/{passed}")
    assert [item["text"] for item in read["items"]["chunks"]] == ["Jack is on the premium plan"]
    assert (read["author"], read["forwards_id"], read["note"], read["risks"]) == (
        "agent-bob", capsule, "Take care", ["angry"],
    )  # fmt: skip
    assert given("agent-charlie").get(f"capsules/{capsule}").status_code == 403
    with world.inside():
        entry = Entry.objects.filter(tenant_id=world.tenant_id, type="capsule.forwarded").get()
    assert (entry.metadata["capsule"], entry.metadata["forwards"]) == (passed, capsule)


def test_the_chain_of_custody_is_told(world, given, handed, forward):
    first = handed([world.chunk()], may_forward=True)
    second = forwarded(forward(first, "agent-bob", "agent-charlie", may_forward=True))
    third = forwarded(forward(second, "agent-charlie", "agent-dora"))

    custody = given("agent-dora").ok("get", f"capsules/{third}")["custody"]

    assert [(step["capsule_id"], step["author"], step["audience"]) for step in custody] == [
        (first, "alice", ["agent-bob"]),
        (second, "agent-bob", ["agent-charlie"]),
        (third, "agent-charlie", ["agent-dora"]),
    ]
    assert custody == sorted(custody, key=lambda step: step["given_at"])


def test_without_leave_of_the_author_it_is_refused(world, handed, forward):
    response = forward(handed([world.chunk()]), "agent-bob", "agent-charlie")

    assert response.status_code == 403
    assert response.json()["title"] == "Not forwardable"


def test_leave_is_not_inherited_unless_it_is_given_on(world, handed, forward):
    capsule = handed([world.chunk()], may_forward=True)
    passed = forwarded(forward(capsule, "agent-bob", "agent-charlie"))

    assert forward(passed, "agent-charlie", "agent-dora").status_code == 403


def test_only_the_audience_forwards(world, given, handed, forward):
    capsule = handed([world.chunk()], may_forward=True)

    assert forward(capsule, "agent-charlie", "agent-charlie").status_code == 403
    body = {"audience_agent_ids": ["agent-bob"]}
    assert world.alice.post(f"capsules/{capsule}/forward", body).status_code == 403
    assert world.bob.post(f"capsules/{capsule}/forward", body).status_code == 403


def test_items_only_narrow(world, handed, forward, given):
    one, two, other = world.chunk("one"), world.chunk("two"), world.chunk("other")
    capsule = handed([one, two], may_forward=True)

    wider = forward(capsule, "agent-bob", "agent-charlie", items={"chunks": [one, other], "decisions": [two]})
    assert wider.status_code == 400
    assert {fault["pointer"] for fault in wider.json()["errors"]} == {"#/items/chunks/1", "#/items/decisions/0"}
    passed = forwarded(forward(capsule, "agent-bob", "agent-charlie", items={"chunks": [two]}))
    assert [item["text"] for item in given("agent-charlie").ok("get", f"capsules/{passed}")["items"]["chunks"]] == [
        "two"
    ]
    again = forward(capsule, "agent-bob", "agent-charlie", items={"chunks": []})
    assert again.status_code == 400


@pytest.mark.parametrize("fields", [{"note": "mine"}, {"risks": []}, {"subject_id": "jane"}, {"ttl_days": 0}])
def test_nothing_else_is_changed(world, handed, forward, fields):
    capsule = handed([world.chunk()], may_forward=True)

    assert forward(capsule, "agent-bob", "agent-charlie", **fields).status_code == 400


def test_it_never_outlives_the_original(world, handed, forward):
    capsule = handed([world.chunk()], may_forward=True, ttl_days=2)
    original = world.alice.ok("get", f"capsules/{capsule}")["expires_at"]

    long = forward(capsule, "agent-bob", "agent-charlie", ttl_days=300).json()
    default = forward(capsule, "agent-bob", "agent-charlie").json()
    short = forward(capsule, "agent-bob", "agent-charlie", ttl_days=1).json()

    assert long["expires_at"] == default["expires_at"] == original
    assert short["expires_at"] < original


def test_it_is_revoked_with_the_original_at_any_depth(world, given, handed, forward):
    first = handed([world.chunk()], may_forward=True)
    second = forwarded(forward(first, "agent-bob", "agent-charlie", may_forward=True))
    third = forwarded(forward(second, "agent-charlie", "agent-dora"))
    beside = forwarded(forward(first, "agent-bob", "agent-dora"))

    answer = world.alice.ok("delete", f"capsules/{first}")

    assert answer["forwarded_revoked"] == 3
    for name, capsule in (("agent-charlie", second), ("agent-dora", third), ("agent-dora", beside)):
        assert given(name).get(f"capsules/{capsule}").json()["title"] == "Capsule is revoked"
    with world.inside():
        entries = Entry.objects.filter(tenant_id=world.tenant_id, type="capsule.revoked").order_by("seq")
        assert {entry.metadata["capsule"] for entry in entries} == {first, second, third, beside}
        assert [entry.metadata.get("revoked_with") for entry in entries] == [None, first, first, first]


def test_revoking_a_forwarded_one_leaves_the_original(world, given, handed, forward):
    first = handed([world.chunk()], may_forward=True)
    second = forwarded(forward(first, "agent-bob", "agent-charlie"))

    given("agent-bob").ok("delete", f"capsules/{second}")

    assert given("agent-bob").get(f"capsules/{first}").status_code == 200
    assert given("agent-charlie").get(f"capsules/{second}").status_code == 403


def test_what_is_revoked_is_not_forwarded(world, handed, forward):
    capsule = handed([world.chunk()], may_forward=True)
    world.alice.ok("delete", f"capsules/{capsule}")

    assert forward(capsule, "agent-bob", "agent-charlie").json()["title"] == "Capsule is revoked"


@OWNER
def test_what_has_expired_is_not_forwarded(world, handed, forward, expiring):
    capsule = handed([world.chunk()], may_forward=True)
    expiring(capsule, timedelta(seconds=-1))

    assert forward(capsule, "agent-bob", "agent-charlie").json()["title"] == "Capsule has expired"


@pytest.mark.django_db(transaction=True)
def test_forwarding_while_it_is_revoked_leaves_nothing_behind(world, given, handed, at_once):
    """Whichever is first: nothing forwarded of a revoked capsule is active."""
    given("agent-charlie")
    bob, alice = given("agent-bob"), world.alice
    for _ in range(5):
        capsule = handed([world.chunk()], may_forward=True)

        def forward(capsule=capsule):
            body = {"audience_agent_ids": ["agent-charlie"]}
            return type(bob)(bob.key).post(f"capsules/{capsule}/forward", body).status_code

        def revoke(capsule=capsule):
            return type(bob)(alice.key).request("delete", f"capsules/{capsule}").status_code

        *sent, revoked = at_once(forward, forward, revoke)

        assert revoked == 200
        assert set(sent) <= {201, 403}
        with world.inside():
            left = EffectiveCapsule.objects.filter(tenant_id=world.tenant_id, forwards_id=capsule, status="active")
            assert not left.exists()


@pytest.mark.parametrize(
    ("op", "patch"), [("retract", {}), ("quarantine", {}), ("block", {"channel": "public"}), ("amend", {"text": "New"})]
)
def test_an_edit_of_the_original_holds_for_what_was_forwarded_before_and_after(
    world, given, handed, forward, op, patch
):
    first = handed([world.chunk()], may_forward=True, note="Old")
    before = forwarded(forward(first, "agent-bob", "agent-charlie"))
    edit = world.edit(first, op, target_type="capsule", **patch)
    after = [] if op == "retract" else [forwarded(forward(first, "agent-bob", "agent-charlie"))]

    def states():
        with world.inside():
            rows = EffectiveCapsule.objects.filter(tenant_id=world.tenant_id, id__in=[before, *after])
            return [(row.is_retracted, row.is_quarantined, row.blocked_channels, row.edits_applied) for row in rows]

    expected = (op == "retract", op == "quarantine", ["public"] if op == "block" else [], 1)
    assert set(map(str, states())) == {str(expected)}
    if op == "amend":
        assert given("agent-charlie").ok("get", f"capsules/{before}")["note"] == "New"
    world.bob.ok("post", f"edits/{edit['edit_id']}/revert", {"reason": "a test"})
    assert set(map(str, states())) == {str((False, False, [], 0))}
