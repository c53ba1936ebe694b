"""The statistics of words: counted when memory has grown, of what everybody may read, and gone with an erasure."""

import pytest
from django.db import DatabaseError, transaction

from governance.acting import gate
from memory.db import count_terms
from memory.services import counting
from tests.erasure.conftest import admins_of

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner"])


def count(world):
    with gate.job(world.tenant_id, "words"):
        return count_terms(tenant=world.tenant_id)


def known(world):
    """In how many chunks each word is, as counted last."""
    rows = gate.rows("SELECT term, dfs FROM memory_term WHERE tenant_id = %s", [world.tenant_id], using="owner")
    return {row["term"]: sum(row["dfs"]) for row in rows}


def test_words_are_counted_once_memory_has_grown(world, elsewhere):
    for number in range(20):
        world.chunk(f"heron number{number}")
    elsewhere.chunk("heron")
    assert count(world) == 21
    assert known(world)["heron"] == 20
    assert count(world) == 0  # nothing new
    world.chunk("heron")
    assert count(world) == 0  # not a tenth more
    world.chunk("heron")
    world.chunk("osprey")
    assert count(world) == 22
    assert (known(world)["heron"], known(world)["osprey"]) == (22, 1)
    assert known(elsewhere) == {}


def test_the_job_counts_every_tenant(world, elsewhere):
    world.chunk("heron")
    elsewhere.chunk("osprey")
    assert counting.count_terms() == 2
    assert (known(world), known(elsewhere)) == ({"heron": 1}, {"osprey": 1})


def test_what_somebody_may_not_read_is_not_counted(world):
    world.chunk("heron")
    world.chunk("heron", sensitivity="high")
    world.chunk("heron", sensitivity="secret")
    world.edit(world.chunk("heron"), "quarantine")
    world.edit(world.chunk("heron"), "block", channel="team")
    world.edit(world.chunk("heron"), "amend", text="osprey")
    world.edit(world.chunk("heron"), "retract")
    count(world)
    assert known(world) == {"heron": 1, "osprey": 1}


def test_an_erasure_deletes_the_statistics(world):
    kept, gone = world.chunk("heron"), world.chunk("osprey")
    count(world)
    admins_of(world).erase(by="chunk", id=gone)
    assert known(world) == {}
    assert count(world) == 1
    assert known(world) == {"heron": 1}
    assert world.found("heron and nothing else") == ["heron"]
    assert kept


def test_only_a_job_counts_and_nobody_reads_them(world):
    with pytest.raises(DatabaseError), gate.acting_as(world.alice_principal):
        count_terms(tenant=world.tenant_id)
    with pytest.raises(DatabaseError), transaction.atomic(), world.inside():
        gate.rows("SELECT term FROM memory_term", ())
