"""A recorder that leaves what is usual is in the ledger and in the metrics; tests/admin/test_contain.py has the home
page."""

import pytest

from memory import tasks
from memory.usage import watching
from tests.surgery.helpers import entries

pytestmark = pytest.mark.django_db(transaction=True)


def flood(api, world, count=500):
    drafts = [world.draft(f"buy now {number}", actor_id="mallory") for number in range(count)]
    api.ok("post", "events/batch", {"events": drafts})


def edits_of_others(api, world, count):
    return [world.edit(world.chunk(f"Note {number}"), "amend", by=api, text="Poison") for number in range(count)]


def test_a_flood_is_reported_once(world, mallory):
    flood(mallory, world)

    assert watching.watch_recorders() == 1
    assert watching.watch_recorders() == 0
    (entry,) = entries(world, "recorder.unusual")
    assert {name: entry.metadata[name] for name in ("name", "what", "number", "usual")} == {
        "name": "mallory", "what": "records", "number": 500, "usual": 0,
    }  # fmt: skip


def test_edits_of_others_up_to_the_limit_are_reported(world, mallory):
    edits_of_others(mallory, world, 20)

    watching.watch_recorders()

    (entry,) = entries(world, "recorder.unusual")
    assert (entry.metadata["name"], entry.metadata["what"], entry.metadata["number"]) == ("mallory", "edits", 20)


def test_what_is_usual_is_not_reported(world, mallory):
    flood(mallory, world, 100)
    edits_of_others(mallory, world, 5)

    assert watching.watch_recorders() == 0


def test_the_metric_counts_them(world, mallory):
    before = tasks.UNUSUAL._value.get()
    flood(mallory, world)
    tasks.watch_recorders()

    assert tasks.UNUSUAL._value.get() == before + 1
