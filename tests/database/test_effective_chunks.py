"""The view `effective_chunks`: effective memory in SQL, under the reader's own rights."""

import pytest
from django.db import Error, transaction

from governance.acting import gate

COLUMNS = (
    *("tenant_id", "chunk_id", "text", "importance", "channel", "scope", "subject_type", "subject_id", "project_id"),
    *("is_retracted", "is_quarantined", "blocked_channels", "ts"),
)


def seen(actor, where="true"):
    with gate.acting_as(actor):
        return gate.rows(f"SELECT * FROM effective_chunks WHERE {where} ORDER BY ts, chunk_id", ())


def test_it_shows_memory_as_the_edits_make_it(world):
    amended, retracted, lowered = (world.chunk(text) for text in ("Original", "To be retracted", "To be lowered"))
    world.edit(amended, "amend", text="Modified", importance=0.8)
    world.edit(retracted, "retract")
    world.edit(lowered, "attenuate", importance_delta=-0.3)

    rows = seen(world.alice_principal)

    assert [tuple(row) for row in rows] == [COLUMNS] * 2
    assert [(str(row["chunk_id"]), row["text"], float(row["importance"])) for row in rows] == [
        (amended, "Modified", 0.8),
        (lowered, "To be lowered", 0.2),
    ]
    assert [(row["is_retracted"], row["is_quarantined"], row["blocked_channels"]) for row in rows] == [
        (False, False, [])
    ] * 2


def test_a_quarantined_chunk_is_marked_and_a_blocked_or_secret_one_is_not_there(world):
    world.edit(world.chunk("rumour"), "quarantine")
    world.edit(world.chunk("internal"), "block", channel="public")
    world.chunk("secret", sensitivity="secret")

    assert [(row["text"], row["is_quarantined"]) for row in seen(world.alice_principal)] == [("rumour", True)]


def test_a_key_sees_its_channels_only(world, agent_in):
    world.chunk("private")
    world.chunk("public", channel="public")
    agent = agent_in("public")
    with world.inside():
        speaker = gate.authenticate(agent.key)

    assert [row["text"] for row in seen(speaker)] == ["public"]


def test_another_tenants_chunks_are_not_there(world, elsewhere):
    elsewhere.chunk("theirs")

    assert seen(world.alice_principal) == []
    assert seen(world.alice_principal, f"tenant_id = '{elsewhere.tenant_id}'") == []


def test_without_a_context_there_is_nothing(world):
    world.chunk("words")

    with transaction.atomic():
        gate.rows("SELECT set_config('suture.context', '', true)", ())
        assert gate.rows("SELECT * FROM effective_chunks", ()) == []


def test_the_words_of_a_chunk_outside_the_context_are_refused(world, elsewhere):
    chunk = elsewhere.chunk("theirs")

    with pytest.raises(Error), gate.acting_as(world.alice_principal):
        gate.rows("SELECT * FROM effective_words(%s, %s)", [elsewhere.tenant_id, chunk])
    with gate.acting_as(world.alice_principal):
        assert gate.rows("SELECT * FROM effective_words(%s, %s)", [world.tenant_id, chunk]) == []
