"""Every page of the desk: no finding of axe-core that is serious, nothing blocked by the content policy, and no page
wider than a phone."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe

QUEUE = "/admin/governance/edit/"


def pages(edit: str) -> list[str]:
    return ["/admin/", QUEUE, f"{QUEUE}?status=second", f"{QUEUE}{edit}/change/", "/admin/second-factor/"]


def serious(page: Any) -> list[str]:
    """What axe-core finds, each with where."""
    found = Axe().run(page).response["violations"]
    return [
        f"{rule['id']}: {rule['help']} {[node['target'] for node in rule['nodes']][:4]}"
        for rule in found
        if rule["impact"] in ("serious", "critical")
    ]


@pytest.fixture
def filled(world: Any) -> str:
    """A queue with something of each kind; answers one edit's id."""
    world.chunk("We met in Lisbon in May.", subject_type="user", subject_id="jack-1")
    target = world.chunk(
        "Jon lives in Berlin and likes green tea.", subject_type="user", subject_id="jack-1", project_id="apollo"
    )
    world.chunk("He asked for the window seat.", subject_type="user", subject_id="jack-1")
    world.edit(target, "amend", by=world.ann, text="John lives in Berlin and likes green tea.", reason="misheard")
    world.edit(target, "quarantine", by=world.alice, reason="two sources disagree about the city")
    other = world.chunk("The invoice is due on the 3rd.", subject_type="user", subject_id="jane-2")
    world.edit(other, "block", by=world.alice, channel="public", reason="not for the public channel")
    edit = world.edit(target, "retract", by=world.alice, reason="he moved to Hamburg in June")["edit_id"]
    return str(edit)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_every_page_is_accessible_and_fits(world, visitor: Callable[..., Any], filled: str, size: str, dark: bool):
    somebody = visitor(size, dark=dark)
    somebody.open("/admin/login/")
    found = {"login": serious(somebody.page)}
    somebody.log_in(world.bob_name, world.passwords["bob"])
    for path in pages(filled):
        page = somebody.open(path)
        page.wait_for_load_state("networkidle")
        found[path] = serious(page)
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), f"{path} is too wide"
    somebody.open(f"{QUEUE}{filled}/change/").keyboard.press("r")
    found["dialog"] = serious(somebody.page)
    assert {path: what for path, what in found.items() if what} == {}
    assert somebody.complaints == []


def test_dark_mode_is_dark(world, visitor, filled):
    """The page's own colours follow the system's choice."""
    shades = {}
    for dark in (False, True):
        somebody = visitor(dark=dark).log_in(world.bob_name, world.passwords["bob"])
        page = somebody.open(f"{QUEUE}{filled}/change/")
        colour = "getComputedStyle(document.querySelector('.review .words')).color"
        painted = page.evaluate(
            f"(() => {{ const c = document.createElement('canvas').getContext('2d'); c.fillStyle = {colour};"
            " c.fillRect(0, 0, 1, 1); return [...c.getImageData(0, 0, 1, 1).data]; })()"
        )
        shades[dark] = sum(painted[:3])
    assert shades[True] > 450 > shades[False]


def test_pictures_for_the_documentation(world, visitor, filled):
    """With PICTURES=<folder> the queue and an edit's page are written there, in light and dark."""
    folder = os.environ.get("PICTURES")
    for dark in (False, True):
        somebody = visitor(dark=dark).log_in(world.bob_name, world.passwords["bob"])
        for name, path in (("queue", QUEUE), ("edit", f"{QUEUE}{filled}/change/")):
            page = somebody.open(path)
            page.wait_for_load_state("networkidle")
            picture = page.screenshot()
            assert 5_000 < len(picture) < 200_000
            if folder:
                Path(folder, f"{name}-{'dark' if dark else 'light'}.png").write_bytes(picture)
