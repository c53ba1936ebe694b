"""A person says who hears a memory from its page, and sees who gains and who loses it."""

import re

import pytest

from memory.usage import deliveries
from tests.audiences.conftest import ADA, BO, CHARLIE, FOR_ADA, clinic_of
from tests.audiences.editing import ALL, FOR_BOTH, change, hearing, made

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "review"])

CHUNKS = "/admin/memory/effectivechunk/"


def seen(client, address):
    (state,) = re.findall(r'name="seen" value="(\w{64})"', client.get(address).content.decode())
    return {"seen": state, "reason": "a test"}


def test_a_person_changes_it_from_the_page_of_the_memory(world, desk):
    clinic = clinic_of(world)
    client = desk(clinic.world.bob_name).client
    chunk = made(clinic, FOR_BOTH)
    clinic.heard("post", "chunks/search", {"query": "measles"}, by=BO)
    deliveries.record_deliveries()
    address = f"{CHUNKS}{chunk}/audience/"
    for wrong in ({"principals": "ada"}, {}, {"principals": ADA, "is_default": "on"}, {"relations": "clinician_of"}):
        assert client.post(address, {**seen(client, address), **wrong}).status_code == 400
    answer = client.post(address, {**seen(client, address), "principals": f"{ADA}\n{CHARLIE}"})
    assert answer.status_code == 302, answer.content.decode()
    assert hearing(clinic) == {ADA, CHARLIE}
    page = client.get(answer.headers["Location"]).content.decode()
    text = re.sub(r"<[^>]+>", " ", page)
    for title, names in (
        ("Added to the audience", CHARLIE), ("Removed from the audience", BO), ("With it only, now", CHARLIE),
        ("Without it only, now", BO), ("Received already by", f"alice for {BO}"),
    ):  # fmt: skip
        assert re.search(rf"{title}\s+{names}\s", text), (title, text)
    client.post(address, {**seen(client, address), "is_default": "on"})
    assert hearing(clinic) == ALL


def test_the_review_page_of_what_waits_says_who_gains_it(world, desk):
    clinic = clinic_of(world)
    chunk = made(clinic, FOR_ADA)
    edit = change(clinic.asking, chunk, FOR_BOTH, **{"X-On-Behalf-Of": ADA})["edit_id"]
    page = desk(clinic.world.bob_name).client.get(f"/admin/governance/edit/{edit}/change/").content.decode()
    assert re.search(rf"With it only, now\s+{BO}\s", re.sub(r"<[^>]+>", " ", page))
