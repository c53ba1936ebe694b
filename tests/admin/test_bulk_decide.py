"""Several edits at once: listed with their differences, each decided as it was seen, each for itself."""

import pytest
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "review"])

QUEUE = "/admin/governance/edit/"
BULK = "/admin/governance/edit/bulk/"


def quarantine(world, text="The quick brown fox", by=None):
    return str(world.edit(world.chunk(text), "quarantine", by=by or world.alice)["edit_id"])


def chosen(bob, ids, **fields):
    """The page that lists the chosen edits."""
    data = {"action": "decide_chosen", "index": "0", ACTION_CHECKBOX_NAME: ids, **fields}
    return bob.client.post(f"{QUEUE}?status=all", data)


def seen(page):
    return [item["seen"] for item in page.context["items"]]


def told(bob):
    return [str(message) for message in bob.queue().context["messages"]]


def test_the_chosen_are_listed_with_their_differences_and_nothing_is_decided(world, desk, status_of, agent_in):
    eve = agent_in("private")
    edits = [world.edit(world.chunk(text), "retract", by=eve)["edit_id"] for text in ("one fox", "two foxes")]
    page = chosen(desk(world.bob_name), edits)
    assert page.status_code == 200
    assert "<del>one fox</del>" in page.content.decode()
    assert "<del>two foxes</del>" in page.content.decode()
    assert [item["edit"].id for item in page.context["items"]] == [item["edit"].id for item in page.context["items"]]
    assert {status_of(world, edit) for edit in edits} == {"pending"}


def test_all_are_approved(world, desk, status_of):
    edits = [quarantine(world, f"fox {number}") for number in range(3)]
    bob = desk(world.bob_name)
    answer = bob.client.post(BULK, {"seen": seen(chosen(bob, edits)), "verb": "approve"})
    assert (answer.status_code, answer.headers["Location"]) == (302, QUEUE)
    assert {status_of(world, edit) for edit in edits} == {"approved"}
    assert told(bob) == ["3 approved."]
    assert world.found("fox") == []


def test_each_has_an_outcome_of_its_own(strict_world, desk, status_of):
    world = strict_world
    good, decided, own = quarantine(world), quarantine(world), quarantine(world, by=world.bob)
    target = world.chunk("Jon")
    changed = str(world.edit(target, "quarantine", by=world.alice)["edit_id"])
    bob = desk(world.bob_name)
    page = chosen(bob, [good, decided, own, changed])
    ann = desk(world.ann_name)
    ann.decide("reject", decided, reason="no")
    amend = world.edit(target, "amend", by=world.bob, text="John")["edit_id"]
    ann.decide("approve", amend)

    bob.client.post(BULK, {"seen": seen(page), "verb": "approve"})

    assert [status_of(world, edit) for edit in (good, decided, own, changed)] == [
        "approved",
        "rejected",
        "pending",
        "pending",
    ]
    summary, *left = told(bob)
    assert set(summary.rstrip(".").split(", ")) == {
        "1 approved",
        "1 already decided",
        "1 proposed by you",
        "1 changed since you loaded the page",
    }
    assert len(left) == 3


def test_a_rejection_of_many_needs_a_reason(world, desk, status_of):
    edits = [quarantine(world), quarantine(world)]
    bob = desk(world.bob_name)
    items = seen(chosen(bob, edits))
    told = {"": "needs a reason", "  ": "needs a reason", "x" * 2001: "no more than 2000 characters"}
    for reason, why in told.items():
        answer = bob.client.post(BULK, {"seen": items, "verb": "reject", "reason": reason})
        assert answer.status_code == 400
        assert why in answer.content.decode()
        assert answer.content.decode().count('name="seen"') == 2
    assert {status_of(world, edit) for edit in edits} == {"pending"}
    bob.client.post(BULK, {"seen": items, "verb": "reject", "reason": "all true"})
    assert {status_of(world, edit) for edit in edits} == {"rejected"}


def test_all_pages_means_what_was_ticked(world, desk):
    edits = [quarantine(world, f"fox {number}") for number in range(3)]
    page = chosen(desk(world.bob_name), edits[:1], select_across="1")
    assert len(page.context["items"]) == 1


@pytest.mark.parametrize("posted", [{}, {"seen": "nonsense"}, {"seen": ["a:b:c", ""]}])
def test_nothing_chosen_decides_nothing(world, desk, posted):
    bob = desk(world.bob_name)
    assert bob.client.post(BULK, {"verb": "approve", **posted}).status_code == 302
    assert told(bob) == ["Select edits in the list first."]


def test_what_was_not_seen_is_not_decided(world, desk, status_of):
    edit = quarantine(world)
    bob = desk(world.bob_name)
    bob.client.post(BULK, {"verb": "approve", "seen": [edit, f"{edit}:{'0' * 64}:{'0' * 64}"]})
    assert status_of(world, edit) == "pending"
    assert told(bob)[0] == "1 changed since you loaded the page."


def test_an_unknown_verb_is_refused(world, desk, status_of):
    edit = quarantine(world)
    bob = desk(world.bob_name)
    answer = bob.client.post(BULK, {"verb": "apply", "seen": seen(chosen(bob, [edit]))})
    assert answer.status_code == 400
    assert status_of(world, edit) == "pending"


def test_an_auditor_has_no_list_to_choose_and_decides_nothing(world, desk, status_of):
    edit = quarantine(world)
    items = seen(chosen(desk(world.bob_name), [edit]))
    auditor = desk(world.bob_name.replace("bob", "auditor"))
    assert 'name="_selected_action"' not in auditor.queue().content.decode()
    auditor.client.post(BULK, {"seen": items, "verb": "approve"})
    assert status_of(world, edit) == "pending"


def test_another_tenants_edits_are_not_there(world, elsewhere, desk, status_of):
    edit = quarantine(elsewhere)
    items = seen(chosen(desk(elsewhere.bob_name), [edit]))
    bob = desk(world.bob_name)
    assert chosen(bob, [edit]).status_code == 302
    bob.client.post(BULK, {"seen": items, "verb": "approve"})
    assert status_of(elsewhere, edit) == "pending"


def test_a_post_from_elsewhere_and_a_stranger_are_refused(world, desk, client, status_of):
    edit = quarantine(world)
    items = seen(chosen(desk(world.bob_name), [edit]))
    strict = desk(world.bob_name, enforce_csrf_checks=True)
    assert strict.client.post(BULK, {"seen": items, "verb": "approve"}).status_code == 403
    assert client.post(BULK, {"seen": items, "verb": "approve"}).status_code == 302
    assert desk(world.bob_name).client.get(BULK).status_code == 302
    assert status_of(world, edit) == "pending"
