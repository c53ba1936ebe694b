"""What a retract removed is recognised when somebody says it again. Whoever empties or blunts that guard is found."""

import pytest

from governance.models import new_id
from tests.erasure.conftest import admins_of
from tests.factories import DecisionFactory
from tests.ledger.governed import change
from tests.ledger.tampering import assert_intact, verify_chain

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])

JACK = {"subject_type": "user", "subject_id": "jack"}
SAID = "Jack's card is 1234"


@pytest.fixture
def retracted(world):
    """The chunk of a text that was retracted."""
    chunk = world.chunk(SAID, content=JACK)
    world.edit(chunk, "retract")
    return chunk


def assert_found(world, sentence):
    code, told = verify_chain(world)
    assert code == 1, told
    assert f"authority without proof: rows: {sentence}" in told, told
    assert ": 1 finding (" in told, told


def test_what_the_services_do_follows(world):
    """Retracts of every kind, some of them reverted, and erased words."""
    for text in ("Yes", "?!", "Thank you", "word " * 60, "Café, s'il vous plaît", "\U0001fae0 melts", "C++ != C"):
        world.edit(world.chunk(text, content=JACK), "retract")
    amended = world.chunk("The quick brown fox")
    world.edit(amended, "amend", text="The slow brown fox")
    world.edit(amended, "retract")
    reverted = world.edit(world.chunk("It was true"), "retract")["edit_id"]
    world.bob.ok("post", f"edits/{reverted}/revert", {"reason": "a test"})
    long = world.event(" ".join(f"word{number}" for number in range(700)))["chunk_ids"]
    world.edit(long[0], "retract")
    decided = world.alice.ok("post", "events", DecisionFactory(content={"decision": "Sail at dawn", **JACK}))
    world.edit(decided["decision_id"], "retract", target_type="decision")
    task = world.event(kind="task_update", content={"title": "Buy rope", "status": "open"})
    world.edit(task["chunk_ids"][0], "retract")
    erased = world.event("To be erased")
    world.edit(erased["chunk_ids"][0], "retract")
    admins_of(world).erase(by="event", id=erased["event_id"])
    assert_intact(world)


def test_an_emptied_guard(world, retracted):
    change("DELETE FROM memory_removedvalue WHERE tenant_id = %s", world.tenant_id)
    assert_found(world, f"The retracted text of chunk {retracted} would not be recognised")


@pytest.mark.parametrize(
    ("assignment", "column"),
    [
        ("cue = cue + 1", "cue"),
        ("other_cue = 1", "cue"),
        ("cue_place = cue_place + 1", "cue"),
        ("subject_id = 'somebody else'", "subject_id"),
        ("subject_type = 'other'", "subject_type"),
        ("names_subject = NOT names_subject", "names_subject"),
        ("length = 3", "length"),
        ("reach = 'text'", "reach"),
        ("edit_id = gen_random_uuid()", "edit_id"),
    ],
)
def test_a_guard_that_looks_for_something_else(world, retracted, assignment, column):
    change(f"UPDATE memory_removedvalue SET {assignment} WHERE tenant_id = %s", world.tenant_id)
    assert_found(world, f"The retracted text of chunk {retracted} would not be recognised: wrong {column}")


def test_another_text_in_the_guard(world, retracted):
    change("UPDATE memory_removedvalue SET digest = sha256('tea') WHERE tenant_id = %s", world.tenant_id)
    code, told = verify_chain(world)
    assert code == 1
    assert f"The retracted text of chunk {retracted} would not be recognised" in told
    assert f"A text that differs from chunk {retracted} counts as removed" in told


def test_a_planted_value(world, retracted):
    """What is said is quarantined from then on, and nobody retracted it."""
    other = world.chunk("Jack likes tea")
    change(
        "INSERT INTO memory_removedvalue (tenant_id, id, chunk_id, edit_id, names_subject, digest, cue, cue_place,"
        " length, reach) SELECT tenant_id, %s, %s, edit_id, false, sha256('jack likes tea'), cue, 1, 3, 'phrase'"
        " FROM memory_removedvalue WHERE tenant_id = %s",
        *(new_id(), other, world.tenant_id),
    )
    assert_found(world, f"A text of chunk {other} counts as removed by edit ")
