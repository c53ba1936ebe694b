"""The review desk as a person meets it: in a browser, by mouse and by keyboard."""

from typing import Any

import pytest
from playwright.sync_api import expect

from governance.identity import identities
from governance.models import AccessRecord, ApiKey, Entry, User, Verdict
from tests.owning import as_owner

OWN = "a long and odd sentence"

FORGED = """async ([address, fields]) => {
    const answer = await fetch(address, {method: "POST", body: new URLSearchParams(fields)});
    return answer.status;
}"""

PRESSED_BEFORE_THE_NEXT_FRAME = """(key) => {
    document.querySelector("dialog[open]").close();
    document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true}));
}"""


def facts(world: Any) -> list[int]:
    """What a decision would change."""
    with world.inside():
        return [Entry.objects.count(), Verdict.objects.count()]


@pytest.mark.smoke
def test_it_works_from_the_login_to_the_verdict(world, visitor, retract, status_of):
    edit = retract("The quick brown fox")
    bob = visitor().log_in(world.bob_name, world.passwords["bob"])
    bob.page.get_by_role("link", name="Review queue").first.click()
    bob.page.get_by_role("link", name="retract", exact=True).click()
    expect(bob.page.locator("del")).to_have_text("The quick brown fox")
    bob.decide("Approve", "it is wrong")
    expect(bob.page.get_by_text("approved, in effect now")).to_be_visible()
    assert status_of(edit) == "approved"
    assert world.found("fox") == []
    assert bob.complaints == []


def test_a_wrong_password_does_not_get_in(world, visitor):
    stranger = visitor()
    page = stranger.open()
    page.get_by_label("Username").fill(world.bob_name)
    page.get_by_label("Password").fill("wrong")
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_text("correct username and password")).to_be_visible()
    stranger.open_queue()
    assert "/admin/login/" in page.url


def test_a_rejection_needs_a_reason(bob, retract, status_of):
    edit = retract()
    bob.open_edit(edit)
    bob.page.get_by_role("button", name="Reject …").click()
    dialog = bob.page.get_by_role("dialog")
    dialog.get_by_role("button", name="Reject", exact=True).click()
    assert dialog.get_by_label("Reason").evaluate("field => field.validity.valueMissing")
    assert status_of(edit) == "pending"
    dialog.get_by_label("Reason").fill("   ")  # what the browser lets through, the server refuses
    with bob.page.expect_navigation():
        dialog.get_by_role("button", name="Reject", exact=True).click()
    expect(bob.page.get_by_text("A rejection needs a reason")).to_be_visible()
    assert status_of(edit) == "pending"
    bob.open_edit(edit)
    bob.decide("Reject", "it is true")
    assert status_of(edit) == "rejected"


def test_a_stale_page_is_refused_and_shows_what_changed(world, bob, status_of):
    chunk = world.chunk("My name is Jon")
    edit = str(world.edit(chunk, "quarantine", by=world.alice)["edit_id"])
    bob.open_edit(edit)
    world.edit(chunk, "amend", by=world.ann, text="My name is John")
    bob.decide("Approve")
    changed = bob.page.get_by_role("alert").filter(has_text="Changes since you loaded this page")
    expect(changed.locator("del")).to_have_text("Jon")
    expect(changed.locator("ins")).to_have_text("John")
    assert status_of(edit) == "pending"
    bob.decide("Approve")
    assert status_of(edit) == "approved"


def test_of_two_reviewers_the_second_is_told(world, bob, visitor, retract, status_of):
    edit = retract()
    ann = visitor().log_in(world.ann_name, world.passwords["ann"])
    ann.open_edit(edit)
    bob.open_edit(edit)
    bob.decide("Approve")
    ann.decide("Reject", "too late")
    expect(ann.page.get_by_text("already approved")).to_be_visible()
    assert status_of(edit) == "approved"


def test_ones_own_proposal_has_no_buttons(strict_world, visitor):
    edit = strict_world.edit(strict_world.chunk(), "retract")["edit_id"]
    bob = visitor().log_in(strict_world.bob_name, strict_world.passwords["bob"])
    page = bob.open_edit(edit)
    expect(page.get_by_text("You proposed this")).to_be_visible()
    expect(page.get_by_role("button", name="Approve …")).to_have_count(0)
    page.keyboard.press("a")
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_several_at_once_each_with_its_outcome(world, bob, visitor, retract, status_of):
    edits = [retract(f"fox {number}") for number in range(3)]
    page = bob.open_queue()
    page.get_by_role("checkbox", name="Select all").first.check()
    page.get_by_label("Select action to run").select_option(label="Review and decide the selected edits")
    page.get_by_role("button", name="Run").click()
    expect(page.get_by_role("heading", name="One verdict for all 3")).to_be_visible()
    expect(page.locator("del")).to_have_count(3)
    ann = visitor().log_in(world.ann_name, world.passwords["ann"])
    ann.open_edit(edits[1])
    ann.decide("Reject", "it is true")
    page.get_by_role("button", name="Approve all").click()
    expect(page.get_by_text("2 approved, 1 already decided.")).to_be_visible()
    assert [status_of(edit) for edit in edits] == ["approved", "rejected", "approved"]
    assert bob.complaints == []


def test_keys_go_through_the_queue_and_open_the_dialogs(bob, retract, status_of):
    first, second = retract("one"), retract("two")
    page = bob.open_edit(first)
    page.keyboard.press("j")
    page.wait_for_url(f"**/{second}/change/")
    page.keyboard.press("k")
    page.wait_for_url(f"**/{first}/change/")
    page.keyboard.press("r")
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_label("Reason")).to_be_focused()
    page.keyboard.type("a jar of ink")  # the keys are letters here
    expect(dialog.get_by_label("Reason")).to_have_value("a jar of ink")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    page.keyboard.press("a")
    page.keyboard.press("Tab")  # from the reason to the choice,
    page.keyboard.press("Tab")  # from the choice to the button
    with page.expect_navigation(url=f"**/{second}/change/"):
        page.keyboard.press("Enter")
    assert (status_of(first), status_of(second)) == ("approved", "pending")


def test_a_key_right_after_a_dialog_closed_is_not_lost(bob, retract):
    page = bob.open_edit(retract())
    page.keyboard.press("r")
    page.evaluate(PRESSED_BEFORE_THE_NEXT_FRAME, "a")
    expect(page.get_by_role("dialog", name="Approve: retract this chunk?")).to_be_visible()


def test_a_post_without_its_token_is_refused(world, bob, retract, status_of):
    edit = retract()
    page = bob.open_edit(edit)
    fields = {
        name: page.locator(f"#approve-dialog input[name={name}]").input_value()
        for name in ("patch_sha256", "target_state")
    }
    before = facts(world)
    for address in (f"/admin/governance/edit/{edit}/approve/", f"/admin/governance/edit/{edit}/reject/"):
        assert page.evaluate(FORGED, [address, {**fields, "reason": "forged"}]) == 403
    assert page.evaluate(FORGED, ["/admin/governance/edit/bulk/", {"verb": "approve", "seen": edit}]) == 403
    assert facts(world) == before
    assert status_of(edit) == "pending"


def test_looking_changes_nothing_but_the_access_log(world, bob, retract):
    edit = retract()
    before = facts(world)
    for path in (
        "/admin/",
        "/admin/governance/edit/",
        "/admin/governance/edit/?status=all&op=retract",
        f"/admin/governance/edit/{edit}/change/",
        f"/admin/governance/edit/{edit}/approve/",
        f"/admin/governance/edit/{edit}/reject/",
        "/admin/governance/edit/bulk/",
        "/admin/second-factor/",
    ):
        assert bob.page.request.get(bob.address + path).status in (200, 405)
    assert facts(world) == before
    with world.inside():
        assert set(AccessRecord.objects.values_list("action", flat=True)) == {"words.viewed"}


def test_an_auditor_looks_and_cannot_decide(world, visitor, retract):
    name = world.bob_name.replace("bob", "auditor")
    person = User.objects.get(username=name)
    person.set_password("a long and odd sentence")
    with as_owner():
        person.save()
    auditor = visitor().log_in(name, "a long and odd sentence")
    page = auditor.open_edit(retract())
    expect(page.get_by_text("You do not have permission to decide edits")).to_be_visible()
    expect(page.get_by_role("button", name="Approve …")).to_have_count(0)
    auditor.open_queue()
    expect(page.get_by_role("checkbox")).to_have_count(0)


def test_another_tenants_edit_is_not_there(bob, elsewhere):
    edit = elsewhere.edit(elsewhere.chunk(), "quarantine", by=elsewhere.alice)["edit_id"]
    answer = bob.page.goto(f"{bob.address}/admin/governance/edit/{edit}/change/")
    assert answer.status == 404


@pytest.mark.parametrize("attack", ["<img src=x onerror=alert(1)>", "<script>alert(1)</script>", "pay\u202eeve"])
def test_what_is_written_in_a_memory_is_shown_and_not_run(world, bob, agent_in, attack):
    alerts: list[str] = []

    def refuse(dialog: Any) -> None:
        alerts.append(dialog.message)
        dialog.dismiss()

    bob.page.on("dialog", refuse)
    eve = agent_in("private")
    edit = world.edit(world.chunk(f"before {attack} after"), "retract", by=eve, reason=attack)["edit_id"]
    page = bob.open_edit(edit)
    shown = page.locator("del").inner_text()
    assert "before" in shown
    assert "\u202e" not in page.content()
    assert alerts == []
    assert bob.complaints == []


@pytest.mark.smoke
def test_a_wrong_memory_is_corrected_from_the_browser(world, bob):
    world.chunk("My name is Jon")
    page = bob.page
    page.get_by_role("link", name="Memory browser").click()
    page.get_by_label("Words").fill("Jon")
    page.get_by_role("button", name="Find").click()
    page.get_by_role("link", name="Correct it").click()
    page.get_by_label("New text").fill("My name is John")
    page.get_by_label("Reason").fill("misheard")
    page.get_by_role("button", name="Correct").click()
    expect(page.get_by_text("Amend: in effect now.")).to_be_visible()
    expect(page.get_by_text("Approved by policy:standard")).to_be_visible()
    assert world.found("John") == ["My name is John"]
    page.get_by_role("link", name="Revert …").click()
    page.get_by_label("Reason").fill("it was Jon")
    page.get_by_role("button", name="Revert").click()
    expect(page.get_by_text("Revert: in effect now.")).to_be_visible()
    assert world.found("Jon") == ["My name is Jon"]
    assert bob.complaints == []


def test_a_reload_of_the_page_with_a_new_key_issues_no_other(world, visitor):
    name = f"root-{world.slug}"
    root = visitor().log_in(name, identities.provision(world.slug, people=[(name, "admin")]).users[name]["password"])
    page = root.open(f"/admin/governance/agent/{world.alice_principal.id}/change/")
    page.get_by_role("link", name="Issue a key").click()
    page.get_by_role("button", name="Issue a key").dblclick()
    expect(page.get_by_role("heading", name="The new key").or_(page.get_by_text("already sent"))).to_be_visible()
    with world.inside():
        keys = ApiKey.objects.filter(agent__isnull=False).count()
    assert keys == 2, "the one that alice had, and one more"
    page.reload()  # which the browser makes a POST again
    expect(page.get_by_text("already sent")).to_be_visible()
    with world.inside():
        assert ApiKey.objects.filter(agent__isnull=False).count() == keys
    page.get_by_role("link", name="Open a new form").click()
    expect(page.get_by_role("button", name="Issue a key")).to_be_visible()


def test_somebody_new_is_added_and_chooses_a_password(world, visitor):
    name = f"root-{world.slug}"
    root = visitor().log_in(name, identities.provision(world.slug, people=[(name, "admin")]).users[name]["password"])
    page = root.open("/admin/governance/user/")
    page.get_by_role("link", name="Add a person").click()
    page.get_by_role("textbox", name="Name").fill("carla")
    page.get_by_role("checkbox", name="Reviewer").check()
    page.get_by_role("button", name="Add a person").click()
    expect(page.get_by_role("heading", name="Their one-time password")).to_be_visible()
    password = page.locator(".words code").inner_text()
    carla = visitor()
    page = carla.open()
    page.get_by_label("Username").fill(f"carla@{world.slug}")
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_text("Choose a new password")).to_be_visible()
    for field, value in (("old_password", password), ("new_password1", OWN), ("new_password2", OWN)):
        page.locator(f"#id_{field}").fill(value)
    page.get_by_role("button", name="Change password").click()
    expect(page.get_by_text("password was changed")).to_be_visible()
    carla.open_queue()
    expect(page.get_by_text("No edit waits for you")).to_be_visible()
    assert root.complaints == carla.complaints == []
