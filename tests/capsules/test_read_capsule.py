"""Reading a capsule: its items as they are now and as the reader may see them, and who is refused."""

import threading
import uuid
from datetime import timedelta

import pytest

from governance.models import AccessRecord


def accesses(world, **conditions):
    with world.inside():
        rows = AccessRecord.objects.filter(tenant_id=world.tenant_id, target_type="capsule", **conditions)
        return list(rows.order_by("at").values("actor", "action", "outcome", "details"))


def items_of(api, capsule, kind="chunks", query=""):
    return api.ok("get", f"capsules/{capsule}{query}")["items"][kind]


def test_a_later_amend_is_read(world, given, handed):
    chunk = world.chunk("Jon called")
    capsule = handed([chunk])

    world.edit(chunk, "amend", text="John called")

    (item,) = items_of(given("agent-bob"), capsule)
    assert (item["text"], item["edits_applied"]) == ("John called", 1)


@pytest.mark.parametrize(
    ("op", "patch", "why"),
    [("retract", {}, "retracted"), ("quarantine", {}, "quarantined"), ("block", {"channel": "public"}, "blocked")],
)
def test_a_later_edit_empties_the_slot(world, given, handed, op, patch, why):
    chunk, other = world.chunk("secret words"), world.chunk("Other words")
    decision = world.event("x", kind="decision", content={"decision": "secret decision"})
    artifact = world.event("secret", kind="artifact", content={"name": "secret name", "media_type": "text/plain"})
    capsule = handed(
        [], items={"chunks": [chunk, other], "decisions": [decision["decision_id"]],
                   "artifacts": [artifact["artifact_id"]]},
    )  # fmt: skip
    for target in (chunk, *decision["chunk_ids"], *artifact["chunk_ids"]):
        world.edit(target, op, **patch)

    response = given("agent-bob").get(f"capsules/{capsule}")

    items = response.json()["items"]
    assert items["chunks"][0] == {"id": chunk, "chunk_id": chunk, "withheld": why}
    assert items["chunks"][1]["text"] == "Other words"
    assert items["decisions"] == [
        {
            "id": decision["decision_id"],
            "decision_id": decision["decision_id"],
            "withheld": why,
        }
    ]
    assert items["artifacts"] == [
        {
            "id": artifact["artifact_id"],
            "artifact_id": artifact["artifact_id"],
            "withheld": why,
        }
    ]
    assert "secret" not in response.content.decode()


def test_quarantined_items_are_read_by_who_asks(world, given, handed):
    chunk = world.chunk("A rumour")
    capsule = handed([chunk])
    world.edit(chunk, "quarantine")

    (item,) = items_of(given("agent-bob"), capsule, query="?include_quarantined=true")
    assert (item["text"], item["is_quarantined"]) == ("A rumour", True)


def test_a_block_holds_in_its_channel_only(world, given, handed):
    chunk = world.chunk("Internal")
    capsule = handed([chunk])
    world.edit(chunk, "block", channel="public")

    assert items_of(given("agent-bob"), capsule, query="?channel=public") == [
        {"id": chunk, "chunk_id": chunk, "withheld": "blocked"}
    ]
    (item,) = items_of(given("agent-bob"), capsule, query="?channel=private")
    assert item["text"] == "Internal"


def test_sensitive_items_and_words_are_for_those_who_may_hear_them(world, given, handed):
    chunk = world.chunk("secret salary", sensitivity="high")
    capsule = handed([chunk], note="secret note", risks=["secret risk"], channel="private")

    response = given("agent-bob").get(f"capsules/{capsule}?channel=public")

    assert response.json()["items"]["chunks"] == [{"id": chunk, "chunk_id": chunk, "withheld": "sensitivity"}]
    assert (response.json()["note"], response.json()["risks"]) == (None, [])
    assert response.json()["withheld"] == "sensitivity"
    assert "secret" not in response.content.decode()
    heard = given("agent-bob").ok("get", f"capsules/{capsule}?channel=private")
    assert (heard["note"], heard["withheld"]) == ("secret note", None)


def test_an_amended_artifact_shows_the_new_text_and_nothing_else(world, given, handed):
    event = world.event("old words", kind="artifact", content={"name": "old name", "media_type": "text/plain"})
    capsule = handed([], items={"artifacts": [event["artifact_id"]]})
    world.edit(event["chunk_ids"][0], "amend", text="new words")

    (artifact,) = items_of(given("agent-bob"), capsule, "artifacts")

    assert (artifact["text"], artifact["name"], artifact["data"]) == ("new words", None, None)


def test_people_with_a_role_read_it(world, handed):
    capsule = handed([world.chunk("words")])

    for person in (world.bob, world.auditor):
        assert items_of(person, capsule)[0]["text"] == "words"


def test_another_tenant_gets_404(world, charlie, handed):
    capsule = handed([world.chunk()])

    for path in (f"capsules/{capsule}", f"capsules/{capsule}/usage"):
        assert charlie.get(path).status_code == 404
    assert charlie.request("delete", f"capsules/{capsule}").status_code == 404
    body = {"audience_agent_ids": ["alice"]}
    assert charlie.post(f"capsules/{capsule}/forward", body).status_code == 404
    assert world.alice.get(f"capsules/{uuid.uuid4()}").status_code == 404


def test_an_access_is_on_record(world, given, handed):
    capsule = handed([world.chunk()])
    given("agent-bob").ok("get", f"capsules/{capsule}")

    assert accesses(world, target_id=capsule) == [
        {"actor": "agent-bob", "action": "capsule.read", "outcome": "allowed", "details": {"from": "direct"}}
    ]


@pytest.mark.django_db(transaction=True)
def test_a_refused_access_is_on_record(world, given, handed):
    """In a committed request: what the refusal would roll back stays."""
    capsule = handed([world.chunk()])
    assert given("agent-charlie").get(f"capsules/{capsule}").status_code == 403

    assert accesses(world, target_id=capsule) == [
        {"actor": "agent-charlie", "action": "capsule.read", "outcome": "refused", "details": {"refusal": "outside"}}
    ]


@pytest.mark.django_db(transaction=True)
def test_a_refused_forward_is_on_record_and_gives_its_idempotency_key_back(world, given, handed):
    capsule = handed([world.chunk()])
    body = {"audience_agent_ids": ["agent-charlie"]}

    for _ in range(2):
        answer = given("agent-charlie").post(f"capsules/{capsule}/forward", body, **{"Idempotency-Key": "k"})
        assert answer.status_code == 403
        assert "Idempotent-Replay" not in answer.headers

    refused = accesses(world, target_id=capsule, action="capsule.forward", outcome="refused")
    assert len(refused) == 2
    other = {**body, "may_forward": True}
    assert (
        given("agent-charlie").post(f"capsules/{capsule}/forward", other, **{"Idempotency-Key": "k"}).status_code == 403
    )


@pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])
def test_it_expires_while_it_is_being_read(world, given, handed, expiring):
    """What counts is the clock of the statement that reads, never the job."""
    capsule = handed([world.chunk("words")])
    bob = given("agent-bob")
    assert bob.get(f"capsules/{capsule}").status_code == 200

    expiring(capsule, timedelta(microseconds=1))

    response = bob.get(f"capsules/{capsule}")
    assert response.status_code == 403
    assert response.json()["title"] == "Capsule has expired"
    assert "words" not in response.content.decode()


@pytest.mark.django_db(transaction=True)
def test_a_revocation_during_reading_is_whole(world, given, handed, at_once):
    """Every answer is either the capsule or a refusal, and after the revocation was answered none is the capsule."""
    capsule = handed([world.chunk("words")])
    bob = given("agent-bob")
    revoked = threading.Event()

    def read():
        answers = []
        for _ in range(20):
            was_over = revoked.is_set()
            response = type(bob)(bob.key).get(f"capsules/{capsule}")
            answers.append((was_over, response.status_code, b"words" in response.content))
        return answers

    def revoke():
        assert type(bob)(world.alice.key).request("delete", f"capsules/{capsule}").status_code == 200
        revoked.set()

    *readers, _ = at_once(read, read, revoke)

    answers = [answer for reader in readers for answer in reader]
    assert len(answers) == 40
    assert {(status, words) for _, status, words in answers} <= {(200, True), (403, False)}
    assert all(status == 403 for was_over, status, _ in answers if was_over)
    assert bob.get(f"capsules/{capsule}").status_code == 403


def test_an_unknown_parameter_is_refused(world, handed):
    capsule = handed([world.chunk()])

    assert world.alice.get(f"capsules/{capsule}?raw=true").status_code == 400
    assert world.alice.get(f"capsules/{capsule}?channel=radio").status_code == 400
