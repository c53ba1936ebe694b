"""Capsules in a context bundle: given without asking, and only those that may be."""

import pytest

from memory.context import sections
from tests.factories import EditFactory

ACB = {"session_id": "session-9", "channel": "private", "subject_type": "user", "subject_id": "jack-doe-123"}


def build(api, **fields):
    return api.ok("post", "acb/build", {**ACB, **fields})["acb"]


def left_out(acb):
    return {(one["section"], one["reason"]): one["ids"] for one in acb["omissions"]}


def test_a_capsule_about_the_subject_is_injected_with_its_items(world, given, handed):
    """The capsule of A25: three curated chunks."""
    chunks = [world.chunk(f"Curated {number}") for number in range(3)]
    capsule = handed(chunks, note="Take care", risks=["angry"])

    acb = build(given("agent-bob"))

    (injected,) = acb["capsules"]
    assert injected["capsule_id"] == capsule
    assert [item["text"] for item in injected["items"]["chunks"]] == ["Curated 0", "Curated 1", "Curated 2"]
    assert (injected["note"], injected["risks"], injected["author"]) == ("Take care", ["angry"], "alice")
    assert acb["total_tokens"] <= acb["max_tokens"]


def test_the_text_form_has_its_words(world, given, handed):
    handed([world.chunk("Curated words")], note="Take care", risks=["angry"])

    text = build(given("agent-bob"), format="text")["text"]

    for words in ("Curated words", "Note: Take care", "Risk: angry"):
        assert words in text


def test_what_is_injected_is_on_record(world, given, handed):
    capsule = handed([world.chunk()])
    build(given("agent-bob"))
    build(given("agent-bob"), include_capsules=False)
    build(given("agent-bob"), subject_id="jane")

    usage = world.alice.ok("get", f"capsules/{capsule}/usage")

    assert (usage["access_count"], usage["acb"], usage["direct"]) == (1, 1, 0)
    (reader,) = usage["readers"]
    assert (reader["actor"], reader["acb"]) == ("agent-bob", 1)


def test_the_most_important_comes_first_then_the_newest(world, given, handed):
    old, new, weighty = (handed([world.chunk(f"words {number}")]) for number in range(3))
    world.edit(weighty, "attenuate", target_type="capsule", importance=0.9)
    newest = handed([world.chunk("the newest words")])

    found = [one["capsule_id"] for one in build(given("agent-bob"))["capsules"]]

    assert found == [weighty, newest, new, old]


@pytest.mark.parametrize(
    ("op", "patch", "why"), [("quarantine", {}, "quarantined"), ("block", {"channel": "private"}, "blocked")]
)
def test_what_may_not_be_injected_is_told(world, given, handed, op, patch, why):
    capsule = handed([world.chunk()], note="secret")
    world.edit(capsule, op, target_type="capsule", **patch)

    acb = build(given("agent-bob"))

    assert acb["capsules"] == []
    assert left_out(acb)["capsules", why] == [capsule]
    assert "secret" not in str(acb)
    if op == "quarantine":
        assert len(build(given("agent-bob"), include_quarantined=True)["capsules"]) == 1


def test_retracted_revoked_and_foreign_capsules_are_not_there(world, given, handed):
    chunk = world.chunk()
    retracted, revoked = handed([chunk]), handed([chunk])
    handed([chunk], to=["agent-charlie"])
    world.edit(retracted, "retract", target_type="capsule")
    world.alice.ok("delete", f"capsules/{revoked}")

    acb = build(given("agent-bob"))

    assert acb["capsules"] == []
    assert not any(section == "capsules" for section, _ in left_out(acb))


def test_an_item_that_may_not_be_seen_is_an_empty_slot(world, given, handed):
    chunk, other = world.chunk("secret words"), world.chunk("Other words")
    handed([chunk, other])
    world.edit(chunk, "quarantine")

    acb = build(given("agent-bob"))

    (capsule,) = acb["capsules"]
    assert capsule["items"]["chunks"][0] == {"id": chunk, "chunk_id": chunk, "withheld": "quarantined"}
    assert left_out(acb)["capsules", "quarantined"] == [chunk]
    assert "secret words" not in str(acb)


def test_without_a_subject_all_available_ones_are_offered(world, given, handed):
    made = {handed([world.chunk("one")]), handed([world.chunk("other")], subject_id="jane")}
    body = {"session_id": "session-9", "channel": "private"}

    acb = given("agent-bob").ok("post", "acb/build", body)["acb"]

    assert {one["capsule_id"] for one in acb["capsules"]} == made


def test_a_person_is_given_none(world, handed):
    handed([world.chunk()])

    assert build(world.bob)["capsules"] == []


def test_a_bundle_is_replayed_with_the_capsule_as_it_is_now(world, given, handed):
    chunk = world.chunk("Jon called")
    handed([chunk])
    acb = build(given("agent-bob"))["acb_id"]
    world.edit(chunk, "amend", text="John called")

    replayed = given("agent-bob").ok("get", f"acb/{acb}")

    (item,) = [one for one in replayed["items"] if one["kind"] == "capsule"]
    assert item["changed_since"] is True
    assert [part["text"] for part in item["parts"]] == ["John called"]


@pytest.mark.pure
def test_the_section_is_registered():
    assert "capsules" in [section.name for section in sections.registered()]


def test_quarantined_capsules_do_not_hide_the_good_one(world, given, handed):
    chunk = world.chunk("words")
    good = handed([chunk], note="Take care")
    poison = [handed([chunk], note=f"poison {number}") for number in range(55)]
    edits = [EditFactory(target_type="capsule", target_id=one, op="quarantine") for one in poison]
    world.bob.ok("post", "edits/bulk", {"edits": edits})

    acb = build(given("agent-bob"))

    assert [one["capsule_id"] for one in acb["capsules"]] == [good]
    assert set(left_out(acb)["capsules", "quarantined"]) == set(poison)


def test_one_noisy_author_does_not_crowd_out_the_others(world, given, handed):
    given("agent-dora")
    quiet = handed([world.chunk("what matters")], by=given("agent-dora"))
    noisy = [handed([], items={"chunks": [world.chunk(f"noise {number}")]}) for number in range(55)]

    acb = build(given("agent-bob"), max_tokens=1_000)

    # what no other author uses is alice's in the end
    shown = {one["capsule_id"]: one for one in acb["capsules"]}
    assert quiet in shown
    assert set(shown) & set(noisy)
    assert set(left_out(acb)["capsules", "origin_share"]) <= set(noisy)


def test_an_author_who_is_alone_may_fill_it_and_the_rest_is_told(world, given, handed):
    chunk = world.chunk("words")
    for number in range(55):
        handed([chunk], note=f"note {number}")

    acb = build(given("agent-bob"))

    assert len(acb["capsules"]) == 55
    assert ("capsules", "origin_share") not in left_out(acb)
    few = build(given("agent-bob"), max_tokens=1_000)
    (omission,) = [one for one in few["omissions"] if (one["section"], one["reason"]) == ("capsules", "budget")]
    assert len(few["capsules"]) + omission["count"] == 55


def capsule_of(api, acb_id):
    (item,) = [one for one in api.ok("get", f"acb/{acb_id}")["items"] if one["kind"] == "capsule"]
    return item


def test_a_bundle_is_replayed_with_note_and_risks(world, given, handed):
    capsule = handed([world.chunk("words")], note="Jon is angry", risks=["loud"])
    acb_id = build(given("agent-bob"))["acb_id"]

    for reader in (given("agent-bob"), world.auditor):
        item = capsule_of(reader, acb_id)
        assert (item["text"], item["changed_since"]) == ("Note: Jon is angry\nRisk: loud", False)
        assert len(item["content_hash"]) == 64

    world.edit(capsule, "amend", target_type="capsule", text="John is angry")
    for reader in (given("agent-bob"), world.auditor):
        now = capsule_of(reader, acb_id)
        assert "John is angry" in now["text"]
        assert "Jon is" not in now["text"]
        assert (now["changed_since"], now["content_hash"]) == (True, item["content_hash"])


@pytest.mark.parametrize(("op", "patch"), [("retract", {}), ("quarantine", {}), ("block", {"channel": "private"})])
def test_the_note_of_a_capsule_that_was_hidden_since_has_no_words(world, given, handed, op, patch):
    capsule = handed([world.chunk("words")], note="swordfish")
    acb_id = build(given("agent-bob"))["acb_id"]
    world.edit(capsule, op, target_type="capsule", **patch)

    for reader in (given("agent-bob"), world.auditor):
        item = capsule_of(reader, acb_id)
        assert (item["text"], item["changed_since"]) == (None, True)


def test_a_revoked_note_is_read_again_by_people_with_a_role_alone(world, given, handed):
    capsule = handed([world.chunk("words")], note="swordfish")
    acb_id = build(given("agent-bob"))["acb_id"]
    world.alice.ok("delete", f"capsules/{capsule}")

    assert capsule_of(given("agent-bob"), acb_id)["text"] is None
    item = capsule_of(world.auditor, acb_id)
    assert (item["text"], item["changed_since"]) == ("Note: swordfish", False)
