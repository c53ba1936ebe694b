"""A new version of a memory is for the readers of the one before."""

import pytest

from tests.audiences.conftest import ADA, BO, FOR_ADA

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])


def remember(clinic, **fields):
    body = {"text": "Ada takes aspirin", "key": "pain", "audience": FOR_ADA, **fields}
    return clinic.asking.ok("post", "memories", body)["id"]


def test_a_new_version_keeps_the_audience(clinic):
    made = remember(clinic, metadata={"dose": 1})
    changed = clinic.heard("patch", f"memories/{made}", {"metadata": {"dose": 2}}, by=ADA)
    assert changed["memory"]["metadata"] == {"dose": 2}
    assert clinic.heard("get", "memories", by=ADA)["results"] == [changed["memory"]]
    assert clinic.heard("get", "memories", by=BO)["results"] == []
    assert clinic.asked("get", f"memories/{changed['memory']['id']}", by=BO).status_code == 404
    assert clinic.asked("patch", f"memories/{made}", {"metadata": {}}, by=BO).status_code == 404


def test_an_audience_that_was_edited_stays_edited(clinic):
    made = remember(clinic)
    (chunk,) = clinic.heard("get", f"memories/{made}", by=ADA)["chunk_ids"]
    clinic.world.edit(chunk, "audience", audience={"principals": [BO]})
    changed = clinic.heard("patch", f"memories/{made}", {"value": 1}, by=BO)
    assert clinic.heard("get", "memories", by=BO)["results"] == [changed["memory"]]
    assert clinic.heard("get", "memories", by=ADA)["results"] == []


def test_memory_of_everyone_stays_for_everyone(clinic):
    made = remember(clinic, audience="default")
    clinic.heard("patch", f"memories/{made}", {"metadata": {"dose": 2}}, by=BO)
    assert [one["metadata"] for one in clinic.heard("get", "memories", by=ADA)["results"]] == [{"dose": 2}]
