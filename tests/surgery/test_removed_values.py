"""What an approved retract removed and is said again comes back quarantined, saying why."""

import unicodedata

import pytest

from tests.factories import EventFactory

from .helpers import counts, drift, entries, proposal, read, words

SAID = "Jack's card is 1234!"
SAID_AGAIN = "jack s   CARD: is 1234"
#: Characters that nobody sees.
INVISIBLE = ("\u00ad", "\u200b", "\u200d", "\u200f", "\u2060", "\ufe0f", "\ufeff")
JACK = {"subject_type": "user", "subject_id": "jack"}


def say(world, text=SAID, **about):
    return world.event(text, content=about or JACK)


def retract(world, text=SAID, **about):
    (chunk,) = say(world, text, **about)["chunk_ids"]
    return chunk, world.edit(chunk, "retract")["edit_id"]


def assert_hidden(world, recorded, retracted_by):
    """Recorded, quarantined, with the retract named in the answer and in an edit."""
    (chunk,) = recorded["chunk_ids"]
    (quarantine,) = recorded["quarantines"]
    assert (quarantine["chunk_id"], quarantine["retracted_by"]) == (chunk, retracted_by)
    assert recorded["quarantined_chunk_ids"] == [chunk]
    assert world.found("card") == []
    assert read(world, chunk)["is_quarantined"]
    (edit,) = world.auditor.ok("get", f"edits?target_id={chunk}")["results"]
    assert (edit["op"], edit["status"], edit["approved_by"]) == ("quarantine", "approved", "policy:removed-value")
    assert retracted_by in edit["reason"]
    assert edit["edit_id"] == quarantine["edit_id"]
    return edit


def test_it_works(world):
    _, retracted_by = retract(world)

    recorded = say(world, SAID_AGAIN)

    edit = assert_hidden(world, recorded, retracted_by)
    assert (edit["proposed_by"], edit["proposer"]) == ("agent", "alice")
    assert world.found("card", include_quarantined=True) == [SAID_AGAIN]


def test_the_quarantine_is_in_the_ledger(world):
    _, retracted_by = retract(world)
    recorded = say(world)

    entry = entries(world, "edit.approved")[-1]

    assert entry.metadata["target_id"] == recorded["chunk_ids"][0]
    assert entry.metadata["op"] == "quarantine"
    assert retracted_by in entry.metadata["reason"]
    edit = world.auditor.ok("get", f"edits/{entry.metadata['edit']}")
    assert entry.metadata["patch_sha256"] == edit["patch_sha256"]


def test_the_quarantine_binds_the_same_patch_hash_as_any_other(world):
    """The database computes it, the service computes it for everybody else: a verdict must fit both."""
    retract(world)
    (chunk,) = say(world)["chunk_ids"]
    (made,) = world.auditor.ok("get", f"edits?target_id={chunk}")["results"]

    by_hand = world.edit(chunk, "quarantine")["edit_id"]

    assert made["patch_sha256"] == world.auditor.ok("get", f"edits/{by_hand}")["patch_sha256"]


@pytest.mark.parametrize(
    ("removed", "again"),
    [
        ("café au lait", unicodedata.normalize("NFD", "café au lait")),
        (unicodedata.normalize("NFD", "café au lait"), "café au lait"),
        ("Jack's card is 1234", "Jack's card is \uff11\uff12\uff13\uff14"),
        ("Jack's office is on fire", "Jack's o\ufb03ce is on \ufb01re"),
        *(("Jack's card", f"Ja{invisible}ck's ca{invisible}rd") for invisible in INVISIBLE),
    ],
)
def test_the_same_text_in_another_form_of_unicode_is_hidden(world, removed, again):
    retract(world, removed)

    assert len(say(world, again)["quarantined_chunk_ids"]) == 1


@pytest.mark.parametrize(
    ("removed", "other", "same"),
    [
        ("\U0001f389\U0001f389", "\U0001f622", " \U0001f389\ufe0f\U0001f389"),
        ("...", "?!", "\u2026"),
        ("-- --", "\U0001f389", "--   --"),
    ],
)
def test_a_text_without_letters_and_digits_is_known_by_its_characters(world, removed, other, same):
    retract(world, removed)

    assert say(world, other)["quarantined_chunk_ids"] == []
    assert len(say(world, same)["quarantined_chunk_ids"]) == 1


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        ("task_update", {"title": SAID_AGAIN, "status": "open"}),
        ("task_update", {"title": SAID_AGAIN, "status": "open", "details": "Charge it"}),
        ("artifact", {"name": SAID_AGAIN, "media_type": "text/plain"}),
    ],
)
def test_a_title_that_says_it_again_is_hidden(world, kind, content):
    _, retracted_by = retract(world)

    assert_hidden(world, world.event("by the way", kind=kind, content={**content, **JACK}), retracted_by)


def amend(world, chunk, text, *, by, status, target_type="chunk"):
    response = by.post("edits", proposal(chunk, "amend", target_type, text=text))
    assert response.status_code == status, response.content
    return response.json()


@pytest.mark.parametrize("policy", ["standard", "strict"])
def test_an_agent_amends_nothing_to_a_removed_text(new_world, policy):
    world = new_world(policy)
    said = say(world)["chunk_ids"][0]
    made = world.edit(said, "retract", by=world.alice)
    retracted_by = made["edit_id"]
    if made["status"] == "pending":
        world.bob.decide(retracted_by)
    decided = world.event("We talked", kind="decision", content={"decision": "Ask Jack", **JACK})
    before = counts(world)

    for target_type, target in (("chunk", decided["chunk_ids"][0]), ("decision", decided["decision_id"])):
        refused = amend(world, target, SAID_AGAIN, by=world.alice, status=409, target_type=target_type)
        assert refused["type"] == "urn:suture:problem:removed-value-returns"
        assert retracted_by in refused["detail"]

    assert counts(world) == before
    assert world.found("card") == []


def test_in_bulk_too_and_each_says_why(world):
    _, retracted_by = retract(world)
    (chunk,) = say(world, "Jack is nice")["chunk_ids"]
    edits = [proposal(chunk, "amend", text=SAID), proposal(chunk, "amend", text="Jack is kind")]

    assert world.alice.post("edits/bulk", {"edits": edits, "mode": "all_or_nothing"}).status_code == 409
    refused, done = world.alice.ok("post", "edits/bulk", {"edits": edits, "mode": "each"})["edits"]

    assert (refused["status"], done["status"]) == ("refused", "approved")
    assert retracted_by in refused["refusal"]
    assert world.found("kind OR card") == ["Jack is kind"]


def test_about_another_subject_an_agent_may_amend_to_it(world):
    retract(world, "The card is 1234")
    (chunk,) = say(world, "Jane is nice", subject_type="user", subject_id="jane")["chunk_ids"]

    amend(world, chunk, "The card is 1234", by=world.alice, status=201)


def test_a_person_amends_to_what_they_think_right(world):
    retract(world)
    (chunk,) = say(world, "Jack is nice")["chunk_ids"]

    amend(world, chunk, SAID, by=world.bob, status=201)

    assert world.found("card") == [SAID]


def test_once_the_retract_is_reverted_an_agent_may_amend_to_it(world):
    _, edit = retract(world)
    (chunk,) = say(world, "Jack is nice")["chunk_ids"]
    world.bob.ok("post", f"edits/{edit}/revert", {"reason": "it was true"})

    amend(world, chunk, SAID, by=world.alice, status=201)


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("The card is 1234", {"subject_type": "user", "subject_id": "jane"}),
        ("The card is 1234", {"subject_type": "account", "subject_id": "jack"}),
        ("The card is 12345!", JACK),
        ("The card is", JACK),
    ],
)
def test_another_subject_or_other_words_are_recorded_as_ever(world, text, about):
    retract(world, "The card is 1234")

    recorded = say(world, text, **about)

    assert recorded["quarantined_chunk_ids"] == []
    assert world.found("card") == [text]


def test_a_value_without_a_subject_is_known_again_without_one(world):
    _, retracted_by = retract(world, scope="session")

    assert_hidden(world, say(world, SAID_AGAIN, scope="global"), retracted_by)


@pytest.mark.parametrize(
    ("op", "patch"),
    [
        ("quarantine", {}),
        ("block", {"channel": "public"}),
        ("amend", {"text": "New"}),
        ("attenuate", {"importance": 0.1}),
    ],
)
def test_only_a_retract_removes_a_value(world, op, patch):
    (chunk,) = say(world)["chunk_ids"]
    world.edit(chunk, op, **patch)

    assert say(world)["quarantined_chunk_ids"] == []


def test_a_retract_that_waits_removes_nothing_and_then_does(world, agent_in):
    (chunk,) = say(world)["chunk_ids"]
    edit = world.edit(chunk, "retract", by=agent_in("private"))["edit_id"]
    assert say(world)["quarantined_chunk_ids"] == []

    world.bob.decide(edit)

    assert len(say(world)["quarantined_chunk_ids"]) == 1


def test_after_the_retract_is_reverted_the_value_may_be_said(world):
    _, edit = retract(world)
    world.bob.ok("post", f"edits/{edit}/revert", {"reason": "it was true"})

    assert say(world)["quarantined_chunk_ids"] == []
    assert world.found("card") == [SAID, SAID]


def test_of_two_retracts_one_reverted_still_removes(world):
    _, first = retract(world)
    second = say(world)
    world.edit(second["chunk_ids"][0], "retract")
    world.bob.ok("post", f"edits/{first}/revert", {"reason": "it was true"})

    assert len(say(world)["quarantined_chunk_ids"]) == 1


def test_amended_and_then_retracted_both_texts_are_removed(world):
    (chunk,) = say(world, "Jack's card is 1111")["chunk_ids"]
    world.edit(chunk, "amend", text="Jack's card is 2222")
    world.edit(chunk, "retract")

    assert len(say(world, "Jack's card is 1111")["quarantined_chunk_ids"]) == 1
    assert len(say(world, "Jack's card is 2222")["quarantined_chunk_ids"]) == 1
    assert world.found("card") == []


def test_a_person_may_give_it_back(world):
    retract(world)
    recorded = say(world)
    (edit,) = world.auditor.ok("get", f"edits?target_id={recorded['chunk_ids'][0]}")["results"]

    world.bob.ok("post", f"edits/{edit['edit_id']}/revert", {"reason": "this time it is true"})

    assert world.found("card") == [SAID]


def test_a_batch_marks_each_event(world):
    retract(world)
    texts = ["something else", SAID, SAID_AGAIN]

    events = [EventFactory(content={"text": text, **JACK}) for text in texts]
    recorded = world.alice.ok("post", "events/batch", {"events": events})["events"]

    assert [len(one["quarantined_chunk_ids"]) for one in recorded] == [0, 1, 1]
    assert world.found("card") == []


def test_a_summary_is_quarantined_too(world, noted):
    retract(world)

    chunk = noted(SAID, subject_id="jack")

    assert world.found("card") == []
    assert read(world, chunk)["is_quarantined"]


def test_what_a_retracted_summary_said_is_removed_too(world, noted):
    chunk = noted(SAID, subject_id="jack")
    edit = world.edit(chunk, "retract")["edit_id"]

    assert_hidden(world, say(world), edit)


def test_a_decision_said_again_is_not_in_force(world):
    decided = {"decision": "Use PostgreSQL", **JACK}
    decision = world.event("Use PostgreSQL", kind="decision", content=decided)["decision_id"]
    world.edit(decision, "retract", target_type="decision")
    assert world.alice.ok("get", "decisions/active")["decisions"] == []

    again = world.event("Use PostgreSQL", kind="decision", content=decided)

    assert len(again["quarantined_chunk_ids"]) == 1
    assert world.alice.ok("get", "decisions/active")["decisions"] == []


def test_a_retracted_decision_said_again_in_other_circumstances_is_not_in_force(world):
    """The statement is what was removed; the text around it may be new."""
    decided = {"decision": "Use PostgreSQL", **JACK}
    decision = world.event("We talked for long", kind="decision", content=decided)["decision_id"]
    world.edit(decision, "retract", target_type="decision")

    again = world.event("As I said before", kind="decision", content=decided)

    assert len(again["quarantined_chunk_ids"]) == 1
    assert world.alice.ok("get", "decisions/active")["decisions"] == []
    assert world.found("said before") == []


def test_only_the_retracted_piece_of_a_long_text_is_known_again(world):
    first, _, _ = world.event(words(380), content=JACK)["chunk_ids"]
    world.edit(first, "retract")

    again = world.event(words(380), content=JACK)

    assert again["quarantined_chunk_ids"] == again["chunk_ids"][:1]
    assert world.found("word10") == []
    assert len(world.found("word210")) == 2


def test_another_tenants_retract_is_nobodys_concern(world, elsewhere):
    retract(elsewhere)

    assert say(world)["quarantined_chunk_ids"] == []


def test_the_answer_is_the_same_when_it_is_sent_again(world):
    retract(world)
    body = EventFactory(content={"text": SAID, **JACK})
    headers = {"Idempotency-Key": "a-key"}

    first = world.alice.ok("post", "events", body, **headers)
    second = world.alice.ok("post", "events", body, **headers)

    assert first == second
    assert len(first["quarantined_chunk_ids"]) == 1


@pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])
def test_nothing_drifts(world):
    chunk, edit = retract(world)
    say(world)
    world.bob.ok("post", f"edits/{edit}/revert", {"reason": "true"})
    say(world)
    world.edit(chunk, "amend", text="Jack's card is gone")
    world.edit(chunk, "retract")
    say(world, "Jack's card is gone")

    assert drift(world) == []
