"""Every page of the desk: no finding of axe-core that is serious, nothing blocked by the content policy, and no page
wider than a phone."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe

from governance.admin.site import site
from governance.identity import identities
from tests.browser.sample import PASSWORD, Sample

QUEUE = "/admin/governance/edit/"


#: Rules that axe-core calls moderate and that these pages keep too.
KEPT = {"landmark-one-main", "landmark-no-duplicate-main", "region", "page-has-heading-one", "heading-order"}


def pages(world: Any, edit: str, chunk: str) -> list[str]:
    """Every page that an admin of the tenant can open, one of each kind."""
    lists = [f"/admin/{model._meta.app_label}/{model._meta.model_name}/" for model in site._registry]
    agent = world.alice_principal.id
    return [
        "/admin/",
        *lists,
        f"{QUEUE}?status=second",
        f"{QUEUE}{edit}/change/",
        f"/admin/governance/entry/story/{chunk}/",
        f"/admin/memory/effectivechunk/{chunk}/change/",
        f"/admin/memory/effectivechunk/{chunk}/amend/",
        f"/admin/memory/effectivechunk/{chunk}/promote/",
        f"/admin/memory/effectivechunk/{chunk}/replace-value/",
        f"/admin/memory/effectivechunk/browse/?agent={agent}",
        "/admin/memory/promotion/candidates/",
        f"/admin/governance/agent/{agent}/change/",
        f"/admin/governance/agent/{agent}/issue-key/",
        "/admin/governance/user/add-person/",
        "/admin/governance/policychange/propose/",
        "/admin/governance/policychange/change-promotion/",
        "/admin/second-factor/",
        "/admin/password_change/",
    ]


def serious(page: Any) -> list[str]:
    """What axe-core finds, each with where."""
    found = Axe().run(page).response["violations"]
    return [
        f"{rule['id']}: {rule['help']} {[node['target'] for node in rule['nodes']][:4]}"
        for rule in found
        if rule["impact"] in ("serious", "critical") or rule["id"] in KEPT
    ]


@pytest.fixture
def filled(world: Any) -> tuple[str, str]:
    """A queue with something of each kind; answers the ids of one edit and of its target."""
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
    handed = {"subject_type": "user", "subject_id": "jack-1", "scope": "user", "audience_agent_ids": ["alice"]}
    world.alice.ok("post", "capsules", {**handed, "items": {"chunks": [target]}})
    return str(edit), target


@pytest.mark.parametrize(("size", "dark"), [("desktop", False), ("phone", True)], ids=["wide-light", "narrow-dark"])
def test_every_page_is_accessible_and_fits(world, visitor: Callable[..., Any], filled, size: str, dark: bool):
    edit, chunk = filled
    root = f"root-{world.slug}"
    password = identities.provision(world.slug, people=[(root, "admin")]).users[root]["password"]
    somebody = visitor(size, dark=dark)
    somebody.open("/admin/login/")
    # Unfold's switch of the theme stands outside of everything there.
    found = {"login": [one for one in serious(somebody.page) if not one.startswith("region")]}
    somebody.log_in(root, password)
    for path in pages(world, edit, chunk):
        page = somebody.open(path)
        page.wait_for_load_state("networkidle")
        found[path] = serious(page)
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), f"{path} is too wide"
    somebody.open(f"{QUEUE}{edit}/change/").keyboard.press("r")
    found["dialog"] = serious(somebody.page)
    assert {path: what for path, what in found.items() if what} == {}
    assert somebody.complaints == []


def test_dark_mode_is_dark(world, visitor, filled):
    """The page's own colours follow the system's choice."""
    shades = {}
    for dark in (False, True):
        somebody = visitor(dark=dark).log_in(world.bob_name, world.passwords["bob"])
        page = somebody.open(f"{QUEUE}{filled[0]}/change/")
        colour = "getComputedStyle(document.querySelector('.review .words')).color"
        painted = page.evaluate(
            f"(() => {{ const c = document.createElement('canvas').getContext('2d'); c.fillStyle = {colour};"
            " c.fillRect(0, 0, 1, 1); return [...c.getImageData(0, 0, 1, 1).data]; })()"
        )
        shades[dark] = sum(painted[:3])
    assert shades[True] > 450 > shades[False]


def test_pictures_for_the_documentation(transactional_db, visitor):
    """With PICTURES=<folder> the pages of the documentation are written there, in light and dark."""
    folder = os.environ.get("PICTURES")
    sample = Sample()
    pictured = {  # each with the height of the window
        "home": ("/admin/", 1500),
        "queue": (QUEUE, 800),
        "edit": (f"{QUEUE}{sample.shown}/change/", 930),
        "audit": ("/admin/governance/entry/", 900),
    }
    for dark in (False, True):
        somebody = visitor(dark=dark).log_in("bob", PASSWORD)
        for name, (path, height) in pictured.items():
            somebody.page.set_viewport_size({"width": 1280, "height": height})
            page = somebody.open(path)
            page.wait_for_load_state("networkidle")
            picture = page.screenshot()
            assert 5_000 < len(picture) < 250_000, name
            if folder:
                Path(folder, f"{name}-{'dark' if dark else 'light'}.png").write_bytes(picture)
        assert somebody.complaints == []
