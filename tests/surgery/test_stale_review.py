"""A verdict says what was reviewed: the patch, and the target as it was. Anything else is a 409 and nothing happens."""

import pytest

from governance.acting.credentials import system
from governance.edits import policies

from .helpers import counts, drift, read, status_of


def waiting(world, chunk, op="amend", **patch):
    """A proposal of the agent's under a policy that makes it wait, as a reviewer reads it."""
    edit = world.edit(chunk, op, by=world.alice, **patch)
    assert edit["status"] == "pending"
    return world.bob.ok("get", f"edits/{edit['edit_id']}")


def seen(edit):
    return {"patch_sha256": edit["patch_sha256"], "target_state": edit["target_state"]}


def test_it_works(strict_world):
    chunk = strict_world.chunk("Original")
    edit = waiting(strict_world, chunk, text="Corrected")

    response = strict_world.bob.post(f"edits/{edit['edit_id']}/approve", seen(edit))

    assert response.status_code == 200
    assert response.json()["status"] == "approved"
    assert read(strict_world, chunk)["text"] == "Corrected"


@pytest.mark.parametrize("verdict", ["approve", "reject"])
@pytest.mark.parametrize(
    ("op", "patch"),
    [
        ("amend", {"text": "Another correction"}),
        ("amend", {"importance": 0.9}),
        ("attenuate", {"importance_delta": -0.1}),
        ("attenuate", {"importance": 0.5}),
        ("quarantine", {}),
        ("block", {"channel": "public"}),
        ("retract", {}),
    ],
)
def test_any_edit_in_between_makes_the_review_stale(world, verdict, op, patch):
    chunk = world.chunk("Original")
    edit = waiting(world, chunk, "quarantine")
    world.edit(chunk, op, **patch)
    before = counts(world)

    response = world.ann.post(f"edits/{edit['edit_id']}/{verdict}", {"reason": "checked", **seen(edit)})

    assert response.status_code == 409
    assert "changed" in response.json()["detail"]
    assert counts(world) == before
    assert status_of(world, edit["edit_id"]) == "pending"
    assert (read(world, chunk) is None) is (op == "retract")


def test_looked_at_again_it_can_be_approved(world):
    chunk = world.chunk("Original")
    edit = waiting(world, chunk, "quarantine")
    world.edit(chunk, "amend", text="Corrected")
    assert world.ann.post(f"edits/{edit['edit_id']}/approve", seen(edit)).status_code == 409

    again = world.ann.ok("get", f"edits/{edit['edit_id']}")

    assert again["patch_sha256"] == edit["patch_sha256"]
    assert again["target_state"] != edit["target_state"]
    assert world.ann.ok("post", f"edits/{edit['edit_id']}/approve", seen(again))["status"] == "approved"
    assert world.found("original OR corrected") == []


def test_a_change_that_was_taken_back_is_no_change(world):
    chunk = world.chunk("Original")
    edit = waiting(world, chunk, "quarantine")
    other = world.edit(chunk, "amend", text="Corrected")
    world.edit(chunk, "revert", edit_id=other["edit_id"])

    assert world.ann.ok("post", f"edits/{edit['edit_id']}/approve", seen(edit))["status"] == "approved"


def test_an_edit_of_another_memory_is_no_change(world):
    chunk, other = world.chunk("Original"), world.chunk("Another")
    edit = waiting(world, chunk, "quarantine")
    world.edit(other, "amend", text="Corrected")

    assert world.ann.ok("post", f"edits/{edit['edit_id']}/approve", seen(edit))["status"] == "approved"


def test_an_edit_of_the_chunk_changes_its_decision(world):
    recorded = world.event(kind="decision", content={"decision": "Use PostgreSQL", "rationale": ["fast"]})
    edit = world.edit(recorded["decision_id"], "quarantine", by=world.alice, target_type="decision")
    edit = world.bob.ok("get", f"edits/{edit['edit_id']}")
    world.edit(recorded["chunk_ids"][0], "amend", text="Use SQLite")

    assert world.ann.post(f"edits/{edit['edit_id']}/approve", seen(edit)).status_code == 409
    assert status_of(world, edit["edit_id"]) == "pending"


def test_without_what_was_seen_the_present_state_counts(world):
    chunk = world.chunk("Original")
    edit = waiting(world, chunk, "quarantine")
    world.edit(chunk, "amend", text="Corrected")

    assert world.ann.decide(edit["edit_id"])["status"] == "approved"


def test_another_edits_patch_is_not_this_ones(world):
    chunk = world.chunk("Original")
    edit, other = waiting(world, chunk, "block", channel="team"), waiting(world, chunk, "quarantine")
    assert edit["target_state"] == other["target_state"]

    response = world.ann.post(f"edits/{edit['edit_id']}/approve", seen({**edit, "patch_sha256": other["patch_sha256"]}))

    assert response.status_code == 409
    assert read(world, chunk)["text"] == "Original"


def test_a_state_that_is_none_is_refused(world):
    edit = waiting(world, world.chunk("Original"), "quarantine")

    assert world.ann.post(f"edits/{edit['edit_id']}/approve", {"target_state": "abc"}).status_code == 400
    assert world.ann.post(f"edits/{edit['edit_id']}/approve", {"target_state": "0" * 64}).status_code == 409


def test_what_an_agent_reads_of_its_edit_tells_no_words(world):
    edit = world.edit(world.chunk("Original"), "quarantine", by=world.alice)

    state = world.alice.ok("get", f"edits/{edit['edit_id']}")["target_state"]

    assert len(state) == 64
    assert state == world.bob.ok("get", f"edits/{edit['edit_id']}")["target_state"]


@pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])
def test_of_two_edits_reviewed_on_one_state_and_approved_at_once_one_applies(world, at_once):
    for _ in range(6):
        chunk = world.chunk("Original")
        first = waiting(world, chunk, "quarantine")
        second = waiting(world, chunk, "block", channel="public")
        assert first["target_state"] == second["target_state"]

        answers = at_once(
            lambda first=first: world.bob.post(f"edits/{first['edit_id']}/approve", seen(first)),
            lambda second=second: world.ann.post(f"edits/{second['edit_id']}/approve", seen(second)),
        )

        assert sorted(answer.status_code for answer in answers) == [200, 409], [a.content for a in answers]
        states = {status_of(world, edit["edit_id"]) for edit in (first, second)}
        assert states == {"approved", "pending"}
        assert read(world, chunk)["edits_applied"] == 1
    assert drift(world) == []


@pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])
def test_verdicts_on_different_records_of_one_memory_at_once_all_get_an_answer(world, at_once):
    """They lock the same rows from different ends: none may fail for that."""
    for _ in range(6):
        recorded = world.event(
            " ".join(f"word{number}" for number in range(400)), kind="decision", content={"decision": "Use PostgreSQL"}
        )
        first, _, last = recorded["chunk_ids"]
        edits = [waiting(world, last, "quarantine"), waiting(world, first, "block", channel="public")]
        edits += [world.edit(recorded["decision_id"], "quarantine", by=world.alice, target_type="decision")]
        edits[2] = world.bob.ok("get", f"edits/{edits[2]['edit_id']}")

        answers = at_once(
            *(
                lambda edit=edit, api=api: api.post(f"edits/{edit['edit_id']}/approve", seen(edit))
                for edit, api in zip(edits, (world.bob, world.ann, world.bob), strict=True)
            )
        )

        assert {answer.status_code for answer in answers} <= {200, 409}, [answer.content for answer in answers]
        assert 200 in {answer.status_code for answer in answers}
    assert drift(world) == []


@pytest.mark.parametrize("verb", ["approve", "reject"])
@pytest.mark.parametrize("missing", [{"patch_sha256"}, {"target_state"}, {"patch_sha256", "target_state"}])
def test_under_strict_a_verdict_names_what_was_reviewed(strict_world, verb, missing):
    world = strict_world
    edit = world.edit(world.chunk(), "quarantine", by=world.alice)["edit_id"]
    reviewed = seen(world.bob.ok("get", f"edits/{edit}"))
    body = {"reason": "checked", **{name: value for name, value in reviewed.items() if name not in missing}}

    response = world.bob.post(f"edits/{edit}/{verb}", body)

    assert response.status_code == 400
    assert {fault["pointer"] for fault in response.json()["errors"]} == {f"#/{name}" for name in missing}
    assert world.bob.ok("get", f"edits/{edit}")["status"] == "pending"
    answer = world.bob.ok("post", f"edits/{edit}/{verb}", {"reason": "checked", **reviewed})
    assert answer["decided_on"] == reviewed


def test_an_edit_of_strict_times_needs_it_under_a_later_policy_too(new_world):
    world = new_world("strict")
    edit = world.edit(world.chunk(), "quarantine", by=world.alice)["edit_id"]
    with world.inside():
        policies.use_preset(world.tenant_id, "standard", actor=system(world.tenant_id, "operator"))

    assert world.bob.post(f"edits/{edit}/approve", {}).status_code == 400


@pytest.mark.parametrize("verb", ["approve", "reject"])
def test_elsewhere_the_answer_says_what_was_decided_on(world, verb):
    edit = world.edit(world.chunk(), "quarantine", by=world.alice)["edit_id"]
    before = world.bob.ok("get", f"edits/{edit}")

    answer = world.bob.ok("post", f"edits/{edit}/{verb}", {"reason": "checked"})

    assert answer["decided_on"] == seen(before)
