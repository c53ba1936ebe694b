"""A retract is not undone by saying the removed value in other circumstances, and hides nothing that says otherwise."""

import pytest

from tests.factories import EventFactory

from .helpers import proposal, read
from .test_removed_values import JACK, amend, assert_hidden, retract, say

JANE = {"subject_type": "user", "subject_id": "jane"}
NOBODY = {"scope": "session"}
REMOVED = "Jack's card is 1234!"
PLAIN = "The balance is 500"  # names nobody


@pytest.mark.parametrize(
    ("removed", "about", "again"),
    [(PLAIN, JACK, NOBODY), (PLAIN, NOBODY, JACK), (PLAIN, NOBODY, NOBODY), (REMOVED, JACK, JANE)],
)
def test_the_text_alone_decides_without_a_subject_or_if_it_names_it(world, removed, about, again):
    _, edit = retract(world, removed, **about)

    recorded = say(world, removed, **again)

    assert [one["retracted_by"] for one in recorded["quarantines"]] == [edit]


def test_what_names_no_subject_may_be_true_of_another(world):
    retract(world, PLAIN, **JACK)

    assert say(world, PLAIN, **JANE)["quarantines"] == []


@pytest.mark.parametrize(
    "text",
    [
        "Remember: Jack's card is 1234, he said so",
        "I think that Jack's card is 1234 today.",
        "Good morning. Jack's card is 1234. Thank you.",
        'He said "Jack\'s card is 1234" twice',
        "Jack's card is 1234 (as of May)",
        "Note - Jack's card is 1234 - and no other.",
        "- first\n- Jack's card is 1234\n- third",
        "> Jack's card is 1234\n\nI see.",
        "**Jack's card is 1234.** Noted.",
        "Jack's card is 1234 \U0001f600",
        "It is not known why, but Jack's card is 1234.",
        "Jack's\ncard is\n1234 now",
    ],
)
@pytest.mark.parametrize("about", [JACK, NOBODY])
def test_within_a_longer_text_it_is_recognised(world, text, about):
    _, edit = retract(world, REMOVED)

    assert_hidden(world, say(world, text, **about), edit)


@pytest.mark.parametrize(
    ("removed", "right"),
    [
        ("Account balance is -500", "Account balance is 500"),
        ("Account balance is 500", "Account balance is -500"),
        ("Account balance is 500", "Now the account balance is 500 %, he says"),
        ("Account balance is 500", "Account balance is 500 million"),
        ("Account balance is 500", "Account balance is 500.5 now"),
        ("Account balance is 500", "Account balance is 500 000"),
        ("We write C", "We write C++"),
        ("We write C", "Since 2020 we write C# here"),
        ("The limit is < 5", "The limit is > 5"),
        ("The rule is x != y", "The rule is x = y"),
        ("The rule is x = y", "The rule is x = y + 1"),
        ("Buy fresh milk", "Never buy fresh milk"),
        ("Jack lives in Rome", "It is not true that Jack lives in Rome"),
        ("Jack lives in Rome", "Jack lives in Rome no longer"),
        ("Jack met Ann", "Jack met Ann's sister"),
        ("I like it \U0001f44d", "I like it \U0001f44e"),
        ("yes", "Did he say yes?"),
        ("Yes.", "Yes. And no."),
        ("Thank you", "I thank you for it"),
    ],
)
def test_the_right_value_is_not_hidden_for_the_wrong_one(world, removed, right):
    retract(world, removed)

    assert say(world, right)["quarantines"] == []


def test_a_value_of_two_words_is_known_as_a_sentence(world):
    retract(world, "Blue Lagoon")

    assert len(say(world, "The code word? Blue Lagoon. Keep it.")["quarantines"]) == 1
    assert say(world, "The Blue Lagoon is a bar.")["quarantines"] == []


def test_a_sentence_in_a_writing_without_spaces_is_known(world):
    retract(world, "\u5f20\u4e09\u4f4f\u5728\u5317\u4eac")

    assert (
        len(say(world, "\u597d\u7684\u3002\u5f20\u4e09\u4f4f\u5728\u5317\u4eac\u3002\u8c22\u8c22\u3002")["quarantines"])
        == 1
    )


def test_in_a_text_of_many_chunks_those_with_the_value_are_hidden(world):
    retract(world)
    filler = " ".join(f"word{number}" for number in range(300))

    recorded = say(world, f"{filler}. {REMOVED} {filler}.")

    hidden = {one["chunk_id"] for one in recorded["quarantines"]}
    assert 1 <= len(hidden) < len(recorded["chunk_ids"])
    assert world.found("card") == []
    assert set(world.found("word10"))
    assert set(world.found("word290"))


def test_deep_in_a_long_amend_too(world):
    _, edit = retract(world)
    (chunk,) = say(world, "Jack is nice")["chunk_ids"]
    filler = " ".join(f"word{number}" for number in range(5_000))

    refused = amend(world, chunk, f"{filler} {REMOVED} {filler}", by=world.alice, status=409)

    assert edit in refused["detail"]


def test_wherever_the_pieces_of_a_long_text_end(world):
    """The search for removed values takes a long text in pieces."""
    retract(world)
    (chunk,) = say(world, "Jack is nice")["chunk_ids"]
    for place in range(355, 375):
        before, after = "word " * place, "word " * 600
        amend(world, chunk, f"{before}Jack's card is 1234 {after}", by=world.alice, status=409)
        amend(world, chunk, f"{before}never Jack's card is 1234 {after}", by=world.alice, status=201)


def test_through_every_door(world, noted):
    _, edit = retract(world)
    said = "Remember: Jack's card is 1234, he said so"

    batch = world.alice.ok("post", "events/batch", {"events": [EventFactory(content={"text": said})]})["events"]
    decision = world.event("We talked", kind="decision", content={"decision": said, "scope": "session"})
    task = world.event("By the way", kind="task_update", content={"title": said, "status": "open", **NOBODY})
    artifact = world.event(said, kind="artifact", content={"name": "A file", "media_type": "text/plain", **NOBODY})
    summary = noted(said, subject_id="jane")

    for recorded in (*batch, decision, task, artifact):
        assert [one["retracted_by"] for one in recorded["quarantines"]] == [edit], recorded
    assert read(world, summary)["is_quarantined"]
    assert world.found("card") == []


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        ("task_update", {"title": REMOVED, "status": "open"}),
        ("artifact", {"name": REMOVED, "media_type": "text/plain"}),
    ],
)
def test_the_title_of_what_is_retracted_is_removed_too(world, kind, content):
    (chunk,) = world.event("by the way", kind=kind, content={**content, **JACK})["chunk_ids"]
    edit = world.edit(chunk, "retract")["edit_id"]

    assert_hidden(world, say(world), edit)


def test_the_retract_that_is_named_is_in_effect(world):
    chunk, first = retract(world)
    second = world.edit(chunk, "retract")["edit_id"]
    world.bob.ok("post", f"edits/{second}/revert", {"reason": "once is enough"})

    (quarantine,) = say(world)["quarantines"]

    assert quarantine["retracted_by"] == first


@pytest.mark.parametrize("words", [{"note": f"Mind: {REMOVED}"}, {"risks": ["angry", REMOVED]}])
def test_an_agent_hands_no_removed_value_over(world, given, words):
    given("agent-bob")
    _, edit = retract(world)
    capsule = {
        "subject_type": "user",
        "subject_id": "jane",
        "scope": "user",
        "audience_agent_ids": ["agent-bob"],
        "items": {"chunks": [world.chunk()]},
    }

    refused = world.alice.post("capsules", {**capsule, **words})
    made = world.alice.ok("post", "capsules", capsule)["capsule_id"]
    patch = {"text": words["note"]} if "note" in words else words
    amended = world.alice.post("edits", proposal(made, "amend", "capsule", **patch))

    for response in (refused, amended):
        assert response.status_code == 409, response.content
        assert response.json()["type"] == "urn:suture:problem:removed-value-returns"
        assert edit in response.json()["detail"]
