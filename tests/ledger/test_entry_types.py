"""The registry of entry types: what is not declared is not appended, and the page is made from what is."""

import io
from pathlib import Path

import pytest
from django.core.management import call_command

from governance.ledger import appending, entry_types
from governance.ledger.entry_types import (
    ID,
    LIST,
    NUMBER,
    EntryDoesNotFit,
    EntryType,
    Field,
    Presence,
    UnknownEntryType,
)
from tests.ledger.tampering import entries

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "ledger-entries.md"
AN_ID = "01a200e5-6d6a-767c-9ab0-3b7625a10083"
TYPE = EntryType(
    "made.up",
    "Made up",
    "a test appends it",
    (Field("one", ID, "an id"), Field("other", ID, "another", Presence.NULLABLE),
     Field("more", ID, "one more", Presence.OPTIONAL)),
)  # fmt: skip


@pytest.fixture
def registry(monkeypatch):
    """A registry whose changes end with the test."""
    monkeypatch.setattr(entry_types, "_types", dict(entry_types._types))
    return entry_types._types


def record(world, type, metadata, chain="governance"):
    with world.inside():
        return appending.record(type, actor=world.bob_principal, metadata=metadata, chain=chain)


@pytest.mark.django_db
def test_it_works(world, registry):
    entry_types.register(TYPE)

    before = entries(world)[-1].seq

    record(world, "made.up", {"one": AN_ID, "other": None})

    last = entries(world)[-1]
    assert (last.seq, last.type) == (before + 1, "made.up")
    assert entry_types.label_of("made.up") == "Made up"


@pytest.mark.django_db
def test_a_type_that_is_not_registered_is_refused(world):
    before = len(entries(world))

    with pytest.raises(UnknownEntryType):
        record(world, "made.up", {})

    assert len(entries(world)) == before
    assert entry_types.label_of("made.up") == "made.up"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("metadata", "chain", "named"),
    [
        ({"other": None}, "governance", "one"),
        ({"one": None, "other": None}, "governance", "one"),
        ({"one": "not an id", "other": None}, "governance", "one"),
        ({"one": AN_ID}, "governance", "other"),
        ({"one": AN_ID, "other": None, "more": None}, "governance", "more"),
        ({"one": AN_ID, "other": None, "words": "secret"}, "governance", "words"),
        ({"one": AN_ID, "other": None}, "agent:alice", "agent:alice"),
    ],
)
def test_metadata_or_a_chain_that_does_not_fit_is_refused(world, registry, metadata, chain, named):
    entry_types.register(TYPE)
    before = len(entries(world))

    with pytest.raises(EntryDoesNotFit, match=named):
        record(world, "made.up", metadata, chain)

    assert len(entries(world)) == before


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("metadata", "named"),
    [
        ({"count": 2**53, "list": []}, "count"),
        ({"count": -(2**53), "list": []}, "count"),
        ({"count": 1, "list": [{"size": 2**53}]}, r"metadata\.list\[0\]\.size is a number beyond 2\*\*53 - 1"),
        ({"count": 1, "list": [1e20]}, r"metadata\.list\[0\] is a number beyond"),
        ({"count": 1, "list": ["\ud800"]}, "a lone surrogate"),
    ],
)
def test_what_a_canonical_form_cannot_have_is_refused(world, registry, metadata, named):
    """A verifier would refuse the entry, and the chain can never lose it."""
    entry_types.register(
        EntryType(
            "made.up", "Made up", "a test appends it", (Field("count", NUMBER, "many"), Field("list", LIST, "more"))
        )
    )
    before = len(entries(world))

    with pytest.raises(EntryDoesNotFit, match=named):
        record(world, "made.up", metadata)

    assert len(entries(world)) == before
    record(world, "made.up", {"count": 2**53 - 1, "list": [0.5]})
    assert len(entries(world)) == before + 1


@pytest.mark.pure
def test_the_page_is_current(registry):
    del registry["test"]
    output = io.StringIO()

    call_command("ledger_entry_types", stdout=output)

    assert output.getvalue() == PAGE.read_text(), "Run: manage.py ledger_entry_types > docs/ledger-entries.md"


@pytest.mark.pure
def test_every_type_is_declared_by_its_own_app():
    """Governance has no words of the apps that build on it."""
    for file in (ROOT / "governance").rglob("entry_types.py"):
        assert "capsule" not in file.read_text(), file
