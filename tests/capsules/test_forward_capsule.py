"""Forwarding a capsule: narrowed, never beyond the original's expiry, and revoked with it."""

from datetime import timedelta

import pytest
from django.db import transaction

from capsules.models import EffectiveCapsule
from governance.acting import gate
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


def words_of(answer):
    return "Take care" in answer.content.decode() or "premium" in answer.content.decode()


def test_nobody_forwards_to_themselves(world, handed, forward):
    capsule = handed([world.chunk()], may_forward=True)

    alone = forward(capsule, "agent-bob", "agent-bob")
    among = forward(capsule, "agent-bob", "agent-charlie", "agent-bob")

    assert (alone.status_code, among.status_code) == (400, 400)
    assert [fault["pointer"] for fault in among.json()["errors"]] == ["#/audience_agent_ids/1"]
    assert "You already have this capsule" in alone.json()["errors"][0]["detail"]
    with world.inside():
        assert not EffectiveCapsule.objects.filter(tenant_id=world.tenant_id, forwards_id=capsule).exists()


@pytest.mark.parametrize("way", ["to another", "and back"])
def test_whoever_forwarded_it_reads_no_copy_after_its_revocation(world, given, handed, forward, way):
    """A forwarder is the author of the copy; that gives them no more than the capsule that they were given."""
    first = handed([world.chunk("Jack is on the premium plan")], may_forward=True, note="Take care")
    copies = [forwarded(forward(first, "agent-bob", "agent-charlie", may_forward=True))]
    if way == "and back":
        copies.append(forwarded(forward(copies[0], "agent-charlie", "agent-bob", may_forward=True)))
    bob, charlie = given("agent-bob"), given("agent-charlie")
    assert words_of(bob.get(f"capsules/{copies[0]}"))
    assert words_of(bob.get("capsules?authored=true"))

    assert world.alice.ok("delete", f"capsules/{first}")["forwarded_revoked"] == len(copies)

    for reader in (bob, charlie):
        for capsule in (first, *copies):
            for path in (f"capsules/{capsule}", f"capsules/{capsule}/usage"):
                answer = reader.get(path)
                assert answer.status_code == 403
                assert not words_of(answer)
        assert not words_of(reader.get("capsules"))
    (listed,) = bob.ok("get", "capsules?authored=true")["results"]
    assert (listed["status"], listed["withheld"], listed["note"]) == ("revoked", "revoked", None)
    forwarded_again = forward(copies[-1], "agent-bob", "agent-dora")
    assert forwarded_again.status_code == 403
    preview = {"target_type": "capsule", "target_id": copies[0], "op": "amend", "patch": {"text": "x"}, "reason": "r"}
    assert not words_of(bob.post("edits/preview", preview))


@OWNER
def test_whoever_forwarded_it_reads_no_copy_after_its_expiry(world, given, handed, forward, expiring):
    first = handed([world.chunk("Jack is on the premium plan")], may_forward=True, note="Take care")
    copy = forwarded(forward(first, "agent-bob", "agent-charlie"))
    for capsule in (first, copy):
        expiring(capsule, timedelta(seconds=-1))

    answer = given("agent-bob").get(f"capsules/{copy}")

    assert answer.json()["title"] == "Capsule has expired"
    (listed,) = given("agent-bob").ok("get", "capsules?authored=true")["results"]
    assert (listed["withheld"], listed["note"]) == ("expired", None)


def test_the_gate_answers_no_items_or_custody_of_a_capsule_that_is_refused(world, given, handed):
    """Also to SQL under the web's role, with the context of an agent outside of the audience."""
    capsule = handed([world.chunk()])
    charlie = given("agent-charlie")

    for key, count in ((given("agent-bob").key, 1), (charlie.key, 0)):
        with transaction.atomic():
            who = gate.authenticate(key)
            items = "SELECT * FROM get_capsule_items(%s, %s::uuid[], '{private}', false)"
            assert len(gate.rows(items, [who.tenant_id, [capsule]])) == count
            assert len(gate.rows("SELECT * FROM capsule_custody(%s, %s, 9)", [who.tenant_id, capsule])) == count
