"""A value that is forgotten is in no answer, and every other word is."""

import pytest

from tests.world import World

pytestmark = pytest.mark.django_db


def preview(api, value: str, op: str = "forget", **fields):
    return api.ok("post", "values/preview", {"op": op, "value": value, "reason": "asked to", **fields})


def forget(api, value: str, **fields):
    found = preview(api, value, **fields)
    return api.ok("post", "values", {"token": found["token"], "confirm": bool(found["confirm_because"])})


def test_forgetting_a_value_cuts_it_out_of_every_memory(world: World):
    world.event("The staging database is orchid-7, and deploys run at noon.")
    world.event("Use Orchid-7 for tests.")
    world.event("The production database is rose-1.")
    done = forget(world.bob, "orchid-7")
    assert done["status"] == "approved"
    assert sorted(world.found("database")) == [
        "The production database is rose-1.",
        "The staging database is […], and deploys run at noon.",
    ]
    assert world.found("orchid-7") == []
    assert world.found("noon") == ["The staging database is […], and deploys run at noon."]


def test_replacing_a_value_puts_the_new_words_in_its_place(world: World):
    world.event("The staging database is orchid-7, and deploys run at noon.")
    forget(world.bob, "orchid-7", op="replace", to="lotus-2")
    assert world.found("staging") == ["The staging database is lotus-2, and deploys run at noon."]


def test_reverting_the_edit_lets_the_value_be_said_again(world: World):
    world.event("The staging database is orchid-7.")
    done = forget(world.bob, "orchid-7")
    world.bob.ok("post", f"edits/{done['edit_id']}/revert", {"reason": "It was right"})
    assert world.found("staging") == ["The staging database is orchid-7."]
    assert world.bob.ok("get", "values")["results"] == []


def test_what_is_recorded_later_is_stored_without_the_value(world: World):
    world.event("The staging database is orchid-7.")
    forget(world.bob, "orchid-7")
    world.event("As asked, I have forgotten ORCHID 7 now.")
    assert world.found("forgotten") == ["As asked, I have forgotten […] now."]


def test_what_says_a_replaced_value_later_is_quarantined(world: World):
    world.event("The staging database is orchid-7.")
    done = forget(world.bob, "orchid-7", op="replace", to="lotus-2")
    again = world.event("Is it orchid-7?")
    assert again["quarantined_chunk_ids"] == again["chunk_ids"]
    assert again["quarantines"][0]["retracted_by"] == done["edit_id"]


#: How a text says a value, or not.
@pytest.mark.parametrize(
    ("value", "text", "left"),
    [
        ("orchid-7", "It runs on Orchid 7.", "It runs on […]."),
        ("orchid-7", "It runs on ORCHID_7!", "It runs on […]!"),
        ("orchid-7", "db://orchid-7/main", "db://[…]/main"),
        ("orchid-7", "It runs on orchid‑7 (orchid–7).", "It runs on […] ([…])."),
        ("orchid-7", "It runs on or\u200bchid-7 today.", "It runs on […] today."),
        ("orchid-7", "It runs on orchid-77 and orchid-7.5.", None),
        ("orchid-7", "It runs on ｏｒｃｈｉｄ-７ today.", "It runs on […] today."),
        ("1200", "It costs 1,200 euros, not 1\u00a0200.", "It costs […] euros, not […]."),
        ("500", "It costs 500.25 or 1,500.", None),
        ("10.0.0.1", "Ask 10.0.0.1:5432 or 10.0.0.12.", "Ask […]:5432 or 10.0.0.12."),
        ("O’Brien", "Mr O'Brien called.", "Mr […] called."),
        ("Ann Smith", "ann  smith's card, not Ann and Smith's", "[…]'s card, not Ann and Smith's"),
        ("東京", "私は東京都に住む", "私は[…]都に住む"),
        ("straße 5", "STRASSE 5 it is", "[…] it is"),
        ("ann@example.com", "Write to Ann@Example.com, please.", "Write to […], please."),
        ("the key is under the mat", "He said: the key is under the mat. Yes.", "He said: […]. Yes."),
    ],
)
def test_a_value_is_found_as_whole_words_in_every_spelling(world: World, value: str, text: str, left: str | None):
    world.event(f"The value is: {value}")
    chunk = world.chunk(text)
    forget(world.bob, value)
    (found,) = world.alice.ok("post", "chunks/get", {"chunk_ids": [chunk]})["chunks"]
    assert found["text"] == (text if left is None else left)
