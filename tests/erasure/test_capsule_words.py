"""What an erasure finds of a capsule: note, risks and amends of them, and capsules that may repeat what goes."""

import uuid

import pytest

from memory import maintenance

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])

JACK = {"subject_type": "user", "subject_id": "jack-doe-123"}


@pytest.fixture
def capsule(world, handed):
    return handed([world.chunk("the chunk")], note="Jon is angry", risks=["Jon may leave"], may_forward=True)


def amend(world, capsule, **fields):
    """An amend that is in effect: one of an agent's waits for a person, because others were given the capsule."""
    made = world.edit(capsule, "amend", target_type="capsule", **fields)
    if made["status"] == "pending":
        world.bob.decide(made["edit_id"])
    return made["edit_id"]


def test_by_subject_the_amended_risks_go_with_the_capsule(world, admins, given, capsule, found_in, word):
    edit = amend(world, capsule, risks=[f"Jon loves {word}"])
    assert found_in(world, word.encode()) == ["governance_content"]

    receipt = admins.erase(by="subject", **JACK)

    assert ("edit", edit) in {(one["kind"], one["id"]) for one in receipt["scope"]["records"]}
    assert found_in(world, word.encode()) == []
    read = given("agent-bob").ok("get", f"capsules/{capsule}")
    assert (read["note"], read["risks"], read["withheld"]) == (None, [], "erased")
    assert world.bob.ok("get", f"edits/{edit}")["patch"] == {}
    assert maintenance.find_drift(world.tenant_id) == []


@pytest.mark.parametrize("patch", [{"risks": ["zanzibar"]}, {"text": "zanzibar"}, {"text": "a", "risks": ["zanzibar"]}])
def test_by_agent_an_amend_goes_and_nothing_that_it_replaced_comes_back(world, admins, given, capsule, found_in, patch):
    given("agent-bob")
    edit = amend(world, capsule, by=given("agent-bob"), **patch)

    admins.erase(by="agent", agent="agent-bob")

    assert found_in(world, b"zanzibar") == []
    read = world.alice.ok("get", f"capsules/{capsule}")
    assert (read["note"], read["risks"], read["withheld"]) == (None, [], "erased")
    assert maintenance.find_drift(world.tenant_id) == []
    world.bob.ok("post", f"edits/{edit}/revert", {"reason": "a test"})
    read = world.alice.ok("get", f"capsules/{capsule}")
    assert (read["note"], read["risks"], read["withheld"]) == ("Jon is angry", ["Jon may leave"], None)


def test_what_is_amended_anew_is_read_again(world, admins, given, capsule):
    given("agent-bob")
    amend(world, capsule, by=given("agent-bob"), text="a")
    admins.erase(by="agent", agent="agent-bob")

    amend(world, capsule, text="John is calm")
    read = world.alice.ok("get", f"capsules/{capsule}")
    assert (read["note"], read["risks"], read["withheld"]) == ("John is calm", [], "erased")
    amend(world, capsule, risks=["John may stay"])
    read = world.alice.ok("get", f"capsules/{capsule}")
    assert (read["note"], read["risks"], read["withheld"]) == ("John is calm", ["John may stay"], None)


def test_what_was_forwarded_of_it_says_no_more_than_it(world, admins, given, capsule):
    given("agent-bob")
    given("agent-charlie")
    body = {"audience_agent_ids": ["agent-charlie"]}
    forwarded = given("agent-bob").ok("post", f"capsules/{capsule}/forward", body)["capsule_id"]
    amend(world, capsule, by=given("agent-bob"), risks=["a"])

    admins.erase(by="agent", agent="agent-bob")

    read = given("agent-charlie").ok("get", f"capsules/{forwarded}")
    assert (read["note"], read["risks"], read["withheld"]) == (None, [], "erased")


def test_by_subject_amends_of_capsules_without_words_of_their_own_go_too(
    world, admins, given, capsule, handed, found_in, word
):
    given("agent-charlie")
    body = {"audience_agent_ids": ["agent-charlie"]}
    forwarded = given("agent-bob").ok("post", f"capsules/{capsule}/forward", body)["capsule_id"]
    wordless = handed([world.chunk("another")])
    edits = {amend(world, target, risks=[f"Jon loves {word}"]) for target in (forwarded, wordless)}

    receipt = admins.erase(by="subject", **JACK)

    assert edits <= {one["id"] for one in receipt["scope"]["records"]}
    assert found_in(world, word.encode()) == []
    assert maintenance.find_drift(world.tenant_id) == []


def test_by_chunk_the_capsules_that_hold_it_and_keep_words_are_named(world, admins, given, handed):
    chunk, other = world.chunk("Jon likes tea"), world.chunk("Jon likes milk")
    noted = handed([chunk, other], note="He likes tea", may_forward=True)
    given("agent-charlie")
    body = {"audience_agent_ids": ["agent-charlie"], "items": {"chunks": [other]}}
    given("agent-bob").ok("post", f"capsules/{noted}/forward", body)
    body = {"audience_agent_ids": ["agent-charlie"], "items": {"chunks": [chunk]}}
    forwarded = given("agent-bob").ok("post", f"capsules/{noted}/forward", body)["capsule_id"]
    handed([chunk])
    handed([other], note="He likes milk")
    amended = handed([chunk])
    amend(world, amended, risks=["He may want tea"])
    expected = sorted([noted, forwarded, amended])

    assert admins.dry_run(by="chunk", id=chunk)["capsules_to_check"] == expected
    erasure = admins.propose(by="chunk", id=chunk)
    assert admins.receipt(erasure)["scope"]["capsules_to_check"] == expected
    admins.dave.ok("post", f"erasures/{erasure}/approve", {})

    receipt = admins.receipt(erasure)
    assert receipt["scope"]["capsules_to_check"] == expected
    assert "tea" not in str(receipt["scope"])
    assert given("agent-bob").ok("get", f"capsules/{noted}")["note"] == "He likes tea"


def test_by_event_and_for_its_decision_they_are_named_too(world, admins, given, handed):
    event = world.event("decided", kind="decision", content={"decision": "Serve tea"})
    given("agent-bob")
    capsule = handed([], items={"decisions": [event["decision_id"]]}, note="Tea")

    assert admins.dry_run(by="event", id=event["event_id"])["capsules_to_check"] == [capsule]


def test_capsules_whose_words_go_with_it_are_not_named(world, admins, handed):
    chunk = world.chunk("Jon likes tea", **JACK)
    handed([chunk], note="He likes tea")
    about_jane = handed([chunk], note="Like Jon, she likes tea", subject_id="jane")

    assert admins.dry_run(by="subject", **JACK)["capsules_to_check"] == [about_jane]
    receipt = admins.erase(by="subject", **JACK)
    assert receipt["scope"]["capsules_to_check"] == [about_jane]
    admins.erase(by="subject", subject_type="user", subject_id="jane")
    assert admins.receipt(receipt["erasure_id"])["scope"]["capsules_to_check"] == []


def test_nothing_is_named_of_another_tenant(world, elsewhere, admins, handed, given):
    chunk = world.chunk("Jon likes tea")
    body = {**JACK, "scope": "user", "audience_agent_ids": ["alice"], "items": {"chunks": [elsewhere.chunk()]}}
    elsewhere.alice.ok("post", "capsules", {**body, "note": "He likes tea"})

    assert admins.dry_run(by="chunk", id=chunk)["capsules_to_check"] == []
    assert admins.carol.post(
        "erasures", {"by": "chunk", "id": str(uuid.uuid4()), "reason": "a", "dry_run": True}
    ).status_code == 404  # fmt: skip
