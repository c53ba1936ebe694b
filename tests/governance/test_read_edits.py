"""`GET /edits` and `GET /edits/{id}`: which edits, whose words, and that reading those is noted."""

from datetime import UTC, datetime, timedelta

import pytest

from governance.models import AccessRecord

pytestmark = pytest.mark.django_db

JACK = {"subject_type": "user", "subject_id": "jack-doe-123"}


def amended(world, text="a pangolin at 12 Elm Street"):
    """A chunk whose words alice amended, and her edit."""
    chunk = world.chunk("The quick brown fox", content=JACK)
    return chunk, world.edit(chunk, "amend", by=world.alice, text=text)["edit_id"]


def viewed(world):
    with world.inside():
        rows = AccessRecord.objects.filter(tenant_id=world.tenant_id, action="words.viewed").order_by("id")
        return [(row.actor, row.target_type, str(row.target_id), row.details) for row in rows]


@pytest.mark.parametrize(
    ("op", "patch", "why"),
    [("retract", {}, "retracted"), ("quarantine", {}, "quarantined"), ("block", {"channel": "team"}, "blocked")],
)
def test_an_agent_is_not_answered_the_words_of_what_is_hidden_from_it(world, op, patch, why):
    chunk, edit = amended(world)
    assert world.alice.ok("get", f"edits/{edit}")["patch"]["text"] == "a pangolin at 12 Elm Street"
    world.edit(chunk, op, **patch)

    for answer in (world.alice.get(f"edits/{edit}"), world.alice.get(f"edits?target_id={chunk}&op=amend")):
        assert "pangolin" not in answer.content.decode()
        one = answer.json().get("results", [answer.json()])[0]
        assert (one["edit_id"], one["withheld"], one["patch"]) == (edit, why, {})
    seen = world.bob.ok("get", f"edits/{edit}")
    assert (seen["withheld"], seen["patch"]["text"]) == (None, "a pangolin at 12 Elm Street")


def test_an_agent_is_answered_them_again_when_they_are_in_force_again(world):
    chunk, edit = amended(world)
    hidden = world.edit(chunk, "retract")["edit_id"]
    world.bob.ok("post", f"edits/{hidden}/revert", {"reason": "a test"})

    one = world.alice.ok("get", f"edits/{edit}")

    assert (one["withheld"], one["patch"]["text"]) == (None, "a pangolin at 12 Elm Street")


def test_what_people_read_of_proposed_words_is_in_the_access_log(world):
    chunk, edit = amended(world)
    other = world.edit(chunk, "attenuate", importance=0.2)["edit_id"]

    world.alice.ok("get", f"edits/{edit}")
    world.bob.ok("get", f"edits/{other}")
    assert viewed(world) == []  # one's own words, and an edit without words

    world.bob.ok("get", f"edits/{edit}")
    world.auditor.ok("get", "edits")
    assert viewed(world) == [
        (world.bob_name, "edit", edit, {"edits": [edit]}),
        (world.bob_name.replace("bob", "auditor"), "edit", "None", {"edits": [edit]}),
    ]


def test_a_preview_that_shows_retracted_words_is_in_the_access_log(world):
    chunk = world.chunk("a giraffe")
    retract = world.edit(chunk, "retract")["edit_id"]
    asked = {"target_type": "chunk", "target_id": chunk, "op": "revert", "patch": {"edit_id": retract}}

    assert world.auditor.ok("post", "edits/preview", asked)["after"]["text"] == "a giraffe"

    assert viewed(world) == [(world.bob_name.replace("bob", "auditor"), "chunk", chunk, {})]


def test_edits_are_filtered_by_whom_their_target_is_about(world):
    of_jack = world.edit(world.chunk("fox", content=JACK), "quarantine")["edit_id"]
    of_alpha = world.edit(world.chunk("hen", content={"project_id": "alpha"}), "quarantine")["edit_id"]
    decided = world.event("Use foxes", kind="decision", content={"decision": "Use foxes", **JACK})["decision_id"]
    of_decision = world.edit(decided, "quarantine", target_type="decision")["edit_id"]

    def listed(query):
        return [edit["edit_id"] for edit in world.auditor.ok("get", f"edits?{query}")["results"]]

    assert listed("subject_id=jack-doe-123") == [of_decision, of_jack]
    assert listed("subject_id=jack-doe-123&target_type=chunk") == [of_jack]
    assert listed("project_id=alpha") == [of_alpha]
    assert listed("project_id=alpha&subject_id=jack-doe-123") == []
    assert listed("subject_id=nobody") == []
    assert listed("subject_type=user") == [of_decision, of_jack]
    assert listed("subject_type=user&subject_id=jack-doe-123&scope=user") == [of_decision, of_jack]
    assert listed("scope=project") == [of_alpha]
    assert listed("scope=project&subject_type=user") == listed("scope=global") == []
    assert world.auditor.get("edits?scope=galaxy").status_code == 400


def test_edits_are_filtered_by_time(world):
    edit = world.edit(world.chunk("fox"), "quarantine")["edit_id"]
    now = datetime.now(UTC)
    before, after = (
        (now + shift).strftime("%Y-%m-%dT%H:%M:%SZ") for shift in (-timedelta(hours=1), timedelta(hours=1))
    )

    def listed(query):
        return [one["edit_id"] for one in world.auditor.ok("get", f"edits?{query}")["results"]]

    assert listed(f"since={before}&until={after}") == [edit]
    assert listed(f"since={after}") == listed(f"until={before}") == []
    assert world.auditor.get("edits?since=yesterday").status_code == 400
