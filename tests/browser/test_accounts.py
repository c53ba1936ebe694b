"""A superuser's pages, in a browser: a tenant is made, its first admin gets in, and their account is deactivated."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.test_presentable import serious
from tests.factories import SuperuserFactory

PASSWORD = "a long and odd sentence"


@pytest.mark.parametrize(("size", "dark"), [("desktop", False), ("phone", True)], ids=["wide-light", "narrow-dark"])
def test_a_superuser_makes_a_tenant_and_manages_an_account(world, visitor: Callable[..., Any], size: str, dark: bool):
    token = world.slug[-8:]
    SuperuserFactory(username=f"boss-{token}", password=PASSWORD)
    boss, carla = visitor(size, dark=dark), visitor(size, dark=dark)
    page = boss.open("/admin/")
    found: dict[str, list[str]] = {}

    def look(name: str, shown: Any) -> None:
        """Look for what serious there is on the page that shows `shown`: a click does not wait for it."""
        expect(shown).to_be_visible()
        page.wait_for_load_state("networkidle")
        found[name] = serious(page)
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), f"{name} is too wide"

    def log_in(page: Any, name: str, password: str) -> None:
        page.get_by_label("Username").fill(name)
        page.get_by_label("Password").fill(password)
        page.get_by_role("button", name="Log in").click()

    def link(name: str) -> Any:
        return page.get_by_role("link", name=name, exact=True)

    def button(name: str) -> Any:
        return page.get_by_role("button", name=name, exact=True)

    log_in(page, f"boss-{token}", PASSWORD)
    look("chooser", link("Create a tenant"))
    link("Create a tenant").click()
    look("make", button("Create a tenant"))
    assert page.get_by_text("You don't have permission").count() == 0
    page.get_by_label("Name", exact=True).fill(f"acme-{token}")
    page.get_by_label("Username of its first admin").fill(f"carla-{token}")
    button("Create a tenant").click()
    look("made", link("I have copied it"))
    password = page.locator(".words code").inner_text()
    link("I have copied it").click()

    log_in(carla.open("/admin/"), f"carla-{token}", password)
    carla.page.locator("[name=old_password]").fill(password)
    for field in ("new_password1", "new_password2"):
        carla.page.locator(f"[name={field}]").fill(PASSWORD)
    carla.page.locator("[name=new_password2]").press("Enter")
    carla.page.wait_for_url("**/done/")
    assert f"acme-{token}" in carla.open("/admin/").content()

    page.get_by_role("button", name=f"acme-{token}").click()
    expect(page.get_by_text("No edit waits for a reviewer")).to_be_visible()
    boss.open("/admin/governance/user/").get_by_role("link", name=f"carla-{token}").first.click()
    look("account", link("Give a one-time password"))
    link("Give a one-time password").click()
    look("one-time password", button("Give a one-time password"))
    link("Back").click()
    link("Deactivate the account").click()
    look("deactivate", button("Deactivate the account"))
    button("Deactivate the account").click()
    look("deactivated", link("Activate the account"))
    carla.open("/admin/")
    assert "/admin/login/" in carla.page.url
    assert {name: what for name, what in found.items() if what} == {}
    assert boss.complaints == carla.complaints == []
