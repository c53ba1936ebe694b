"""The record of capsules is sealed, and its words can be erased by law."""

import secrets

import pytest

from governance.identity import identities
from governance.ledger import sealed_rows, sealing, table_rows
from governance.models import Leaf

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])


@pytest.fixture
def erase(world):
    """`erase(...)` has one admin propose an erasure and another one approve it."""
    names = [f"{name}-{secrets.token_hex(4)}" for name in ("carol", "dave")]
    made = identities.provision(world.slug, people=[(name, "admin") for name in names])
    carol, dave = (type(world.bob)(made.users[name]["key"]) for name in names)

    def run(**named):
        erasure = carol.ok("post", "erasures", {"reason": "a request", **named})["erasure_id"]
        dave.ok("post", f"erasures/{erasure}/approve", {})

    return run


def test_capsules_items_and_audiences_become_leaves(world, handed):
    handed([world.chunk(), world.chunk()], to=["agent-bob", "agent-charlie"], note="words", risks=["words"])

    sealing.seal_all(world.tenant_id)

    with world.inside():
        kinds = list(Leaf.objects.filter(tenant_id=world.tenant_id).values_list("kind", flat=True))
    assert [kinds.count(kind) for kind in ("capsule", "capsule_item", "capsule_audience")] == [1, 2, 2]


def test_erased_words_are_gone_from_the_capsule_and_from_what_was_forwarded_of_it(world, given, handed, erase, owner):
    chunk = world.chunk("zanzibar chunk", content={"subject_type": "user", "subject_id": "jack-doe-123"})
    capsule = handed([chunk], note="zanzibar note", risks=["zanzibar risk"], may_forward=True)
    given("agent-charlie")
    body = {"audience_agent_ids": ["agent-charlie"]}
    passed = given("agent-bob").ok("post", f"capsules/{capsule}/forward", body)["capsule_id"]
    sealing.seal_all(world.tenant_id)

    erase(by="subject", subject_type="user", subject_id="jack-doe-123")

    for name, one in (("agent-bob", capsule), ("agent-charlie", passed)):
        response = given(name).get(f"capsules/{one}")
        assert response.json()["withheld"] == "erased"
        assert (response.json()["note"], response.json()["risks"]) == (None, [])
        assert response.json()["items"]["chunks"] == [{"id": chunk, "chunk_id": chunk, "withheld": "erased"}]
        assert "zanzibar" not in response.content.decode()
    with world.inside("owner"):
        left = "SELECT 1 FROM governance_content WHERE tenant_id = %s AND body LIKE %s"
        assert owner(left, [world.tenant_id, "%zanzibar%"]) == []


def test_the_seal_still_holds_after_the_erasure(world, handed, erase):
    """A leaf is over the hashes of the words, which stay behind."""
    handed([world.chunk()], note="zanzibar note", risks=["zanzibar risk"])
    sealing.seal_all(world.tenant_id)

    erase(by="subject", subject_type="user", subject_id="jack-doe-123")

    with world.inside():
        size = Leaf.objects.filter(tenant_id=world.tenant_id).count()
    with table_rows.snapshot(world.tenant_id) as reader:
        assert sealed_rows.first_changed(reader, 0, size, page=size) is None
