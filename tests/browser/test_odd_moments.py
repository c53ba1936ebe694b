"""What a person meets beside the usual way: an ended session, an address that leads nowhere, the API's own pages."""

import uuid
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.test_presentable import serious


def test_the_reason_of_a_verdict_outlives_the_session(world, bob, retract, status_of):
    edit = retract()
    page = bob.open_edit(edit)
    page.get_by_role("button", name="Reject …").click()
    page.get_by_role("dialog").get_by_label("Reason").fill("It was agreed on 3 March")
    page.context.clear_cookies(name="sessionid")
    with page.expect_navigation():
        page.get_by_role("dialog").get_by_role("button", name="Reject", exact=True).click()
    page.get_by_label("Username").fill(world.bob_name)
    page.get_by_label("Password").fill(world.passwords["bob"])
    page.get_by_role("button", name="Log in").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_label("Reason")).to_have_value("It was agreed on 3 March")
    expect(dialog.get_by_role("heading")).to_contain_text("Reject")
    assert status_of(edit) == "pending"
    with page.expect_navigation():
        dialog.get_by_role("button", name="Reject", exact=True).click()
    assert status_of(edit) == "rejected"
    assert bob.complaints == []


def test_a_refused_approval_comes_back_in_its_own_dialog(world, bob, status_of):
    chunk = world.chunk("My name is Jon")
    edit = str(world.edit(chunk, "quarantine", by=world.alice)["edit_id"])
    bob.open_edit(edit)
    world.edit(chunk, "amend", by=world.ann, text="My name is John")
    bob.decide("Approve", "he asked for it")
    dialog = bob.page.get_by_role("dialog")
    expect(dialog.get_by_role("heading")).to_contain_text("Approve")
    expect(dialog.get_by_label("Reason")).to_have_value("he asked for it")
    expect(dialog.get_by_role("alert")).to_contain_text("has changed since you loaded this page")
    assert status_of(edit) == "pending"


@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_an_address_that_leads_nowhere_is_a_page_with_a_way_on(visitor, world, size):
    bob = visitor(size).log_in(world.bob_name, world.passwords["bob"])
    page = bob.open(f"/admin/governance/edit/{uuid.uuid4()}/change/")
    expect(page.get_by_role("heading", name="Page not found")).to_be_visible()
    assert serious(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.get_by_role("link", name="Review queue").click()
    expect(page.get_by_text("No edit waits for your decision").first).to_be_visible()


@pytest.mark.parametrize(("path", "shown"), [("/api/docs", ".opblock"), ("/api/redoc", "[id*='operation/']")])
def test_the_pages_of_the_api_work_under_their_policy(world: Any, visitor: Any, path: str, shown: str):
    stranger = visitor()
    page = stranger.open(path)
    expect(page.get_by_role("heading", name="Suture").first).to_be_visible()
    expect(page.locator(shown).first).to_be_attached()
    refused = [one for one in stranger.complaints if "script" in one.lower() and "Content Security Policy" in one]
    assert refused == []
