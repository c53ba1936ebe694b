"""People see in the admin what would be forgotten, and decide it there."""

import pytest

from tests.admin.conftest import Desk
from tests.tools.calls import call
from tests.world import World

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "review"])


@pytest.fixture
def waiting(world: World) -> str:
    world.bob.ok("post", "events", world.draft("Staging runs on orchid-7.", actor_type="human"))
    return str(call(world.alice, "memory_forget", {"value": "orchid-7", "reason": "Ada asked"})["edit_id"])


def test_the_queue_lists_it(world: World, waiting: str) -> None:
    page = Desk(world.bob_name).queue().content.decode()
    assert waiting in page
    assert "forget" in page


def test_its_page_shows_the_value_and_what_says_it(world: World, waiting: str) -> None:
    page = Desk(world.bob_name).open(waiting)
    words = page.content.decode()
    assert "Forget value" in words
    assert "Approve: forget this value?" in words
    assert "<del>orchid-7</del>" in words
    assert [(use.what, use.name) for use in page.context["uses"]] == [("message", "Staging runs on orchid-7.")]
    assert "(changed)" not in words


def test_its_page_shows_the_reach(world: World) -> None:
    draft = world.draft("Staging runs on orchid-7.", actor_type="human", subject_type="user", subject_id="jack-1")
    world.bob.ok("post", "events", draft)
    asked = {"value": "orchid-7", "reason": "Jack asked", "subject_type": "user", "subject_id": "jack-1"}
    edit = str(call(world.alice, "memory_forget", asked)["edit_id"])
    assert ("Only about subject", "jack-1") in Desk(world.bob_name).open(edit).context["origin"]


def test_invisible_characters_around_it_are_shown(world: World) -> None:
    world.bob.ok("post", "events", world.draft("Staging\u202e runs on orchid-7.", actor_type="human"))
    edit = str(call(world.alice, "memory_forget", {"value": "orchid-7", "reason": "Ada asked"})["edit_id"])
    page = Desk(world.bob_name).open(edit).content.decode()
    assert "\u202e" not in page
    assert "U+202E" in page


def test_approving_it_there_forgets_it(world: World, waiting: str) -> None:
    Desk(world.bob_name).decide("approve", waiting)
    assert world.found("staging") == ["Staging runs on […]."]
    assert Desk(world.bob_name).open(waiting).context["uses"] == []


def test_a_replacement_shows_both_wordings(world: World) -> None:
    world.bob.ok("post", "events", world.draft("Staging runs on orchid-7.", actor_type="human"))
    asked = {"value": "orchid-7", "to": "lotus-2", "reason": "It was moved"}
    edit = str(call(world.alice, "memory_correct", asked)["edit_id"])
    page = Desk(world.bob_name).open(edit).content.decode()
    assert "Replace value" in page
    assert "<del>orchid</del>-<del>7</del>" in page
    assert "<ins>lotus</ins>-<ins>2</ins>" in page
