"""An agent gets notices of corrections only on behalf of those who may hear the memory."""

from typing import Any

import pytest

from memory.usage import deliveries
from tests.audiences.conftest import ADA, BO, FOR_ADA, Clinic

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])


def stream(clinic: Clinic, by: str, last: str = "") -> str:
    resumed = {"Last-Event-ID": last} if last else {}
    answer = clinic.asking.get("notices/stream", **{"X-On-Behalf-Of": by, **resumed})
    assert answer.status_code == 200, answer.content
    return str(answer.content.decode())


def test_a_correction_is_told_on_behalf_of_who_hears_the_memory(clinic: Any) -> None:
    (chunk,) = clinic.record("Ada has measles", FOR_ADA)["chunk_ids"]
    assert clinic.heard("post", "chunks/get", {"chunk_ids": [chunk]}, by=ADA)["chunks"]
    deliveries.record_deliveries()
    last = stream(clinic, ADA).strip().rpartition("id: ")[2]
    clinic.world.edit(chunk, "amend", text="Ada has mumps")
    assert chunk in stream(clinic, ADA, last)
    assert "event:" not in stream(clinic, BO, last)
    assert "event:" not in clinic.asking.get("notices/stream", **{"Last-Event-ID": last}).content.decode()
