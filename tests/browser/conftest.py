"""A real browser at the review desk. Chromium comes from the system: nothing is downloaded."""

import asyncio
import os
import shutil
from asyncio import _set_running_loop
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, expect, sync_playwright

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
MISSING = "Chromium is not installed. On Debian or Ubuntu: apt-get install chromium. Elsewhere: CHROMIUM=/its/path."

#: How long something may take to appear before a test gives up, in milliseconds: a guard against hanging, no measure.
PATIENCE = 60_000
expect.set_options(timeout=PATIENCE)

SIZES = {"desktop": {"width": 1280, "height": 900}, "phone": {"width": 390, "height": 844}}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.browser)
            item.add_marker(
                pytest.mark.django_db(transaction=True, databases=["default", "owner", "review", "verifier"])
            )
            if CHROMIUM is None:
                item.add_marker(pytest.mark.skip(reason=MISSING))


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with pytest.MonkeyPatch.context() as patch, sync_playwright() as playwright:
        # The browser's own loop runs in this thread, and Django would refuse its synchronous calls because of it.
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
        options = ["--no-sandbox"] if os.geteuid() == 0 else []
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=options, timeout=PATIENCE)
        loop = asyncio.get_running_loop()
        # Other tests of this process run loops of their own: Playwright's runs only while a test is in the browser.
        _set_running_loop(None)
        yield chromium
        _set_running_loop(loop)
        chromium.close()


@pytest.fixture(autouse=True)
def in_the_loop_of_the_browser(request: pytest.FixtureRequest) -> Iterator[None]:
    """Playwright's calls need its loop, as long as the test and what it opened last."""
    if "browser" not in request.fixturenames:
        yield
        return
    browser = request.getfixturevalue("browser")
    _set_running_loop(browser._loop)
    yield
    _set_running_loop(None)


class Visitor:
    """A person in a browser profile of their own. Whatever the console complains of is kept in `complaints`."""

    def __init__(self, context: BrowserContext, address: str) -> None:
        self.page: Page = context.new_page()
        self.page.set_default_timeout(PATIENCE)
        self.address = address
        self.complaints: list[str] = []
        self.page.on("console", self._note)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def _note(self, message: ConsoleMessage) -> None:
        # The browser also reports answers of 4xx as errors: those are what some tests ask for.
        if message.type in ("error", "warning") and "Failed to load resource" not in message.text:
            self.complaints.append(message.text)

    def open(self, path: str = "/admin/") -> Page:
        self.page.goto(self.address + path)
        return self.page

    def open_queue(self, query: str = "") -> Page:
        return self.open(f"/admin/governance/edit/{query}")

    def open_edit(self, edit_id: Any) -> Page:
        return self.open(f"/admin/governance/edit/{edit_id}/change/")

    def log_in(self, name: str, password: str) -> "Visitor":
        """Through the form, as people do."""
        page = self.open()
        page.get_by_label("Username").fill(name)
        page.get_by_label("Password").fill(password)
        page.get_by_role("button", name="Log in").click()
        page.wait_for_url(f"{self.address}/admin/")
        return self

    def decide(self, verb: str, reason: str = "") -> None:
        """Open the dialog of a verdict, fill it in and send it."""
        self.page.get_by_role("button", name=f"{verb} …").click()
        dialog = self.page.get_by_role("dialog")
        dialog.get_by_label("Reason").fill(reason)
        with self.page.expect_navigation():
            dialog.get_by_role("button", name=verb, exact=True).click()


@pytest.fixture
def visitor(browser: Browser, live_server: Any) -> Iterator[Callable[..., Visitor]]:
    """`visitor(size="phone", dark=True)`: somebody who has not logged in."""
    contexts: list[BrowserContext] = []

    def make(size: str = "desktop", *, dark: bool = False) -> Visitor:
        context = browser.new_context(
            viewport=SIZES[size],  # type: ignore[arg-type] # a plain dictionary is what it takes
            color_scheme="dark" if dark else "light",
            reduced_motion="reduce",
        )
        contexts.append(context)
        return Visitor(context, live_server.url)

    yield make
    for context in contexts:
        context.close()


@pytest.fixture
def bob(visitor: Callable[..., Visitor], world: Any) -> Visitor:
    """The test's reviewer, logged in."""
    return visitor().log_in(world.bob_name, world.passwords["bob"])


@pytest.fixture
def retract(world: Any, agent_in: Any) -> Callable[..., str]:
    """`retract("words")`: an agent's retract of another's memory, which waits for a person."""
    eve = agent_in("private")

    def propose(text: str = "The quick brown fox", by: Any = None) -> str:
        return str(world.edit(world.chunk(text), "retract", by=by or eve)["edit_id"])

    return propose


@pytest.fixture
def status_of(world: Any) -> Callable[[str], str]:
    """`status_of(edit_id)`: pending, approved or rejected."""
    return lambda edit_id: str(world.bob.ok("get", f"edits/{edit_id}")["status"])
