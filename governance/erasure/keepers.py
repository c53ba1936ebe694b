"""The apps that store text that an erasure deletes. Governance imports no other app: each registers itself here.

An app `<name>` has two SQL functions, which the database finds by name, so that no caller can omit one:
`erasable_of_<name>(tenant, by, target, subject_type, subject_id)` returns its records (erasure_scope calls it), and
`erase_copies_of_<name>(tenant, erasure)` deletes data derived from erased text, in the transaction of the erasure
(erase_content calls it). It also registers the tables that contain deleted text until they are rewritten.
"""

import uuid
from collections.abc import Callable
from dataclasses import dataclass

#: `find(tenant_id, records, contents)`: ids of records that contain one of `records` and have texts not in `contents`.
Find = Callable[[uuid.UUID, list[uuid.UUID], list[uuid.UUID]], list[uuid.UUID]]


@dataclass(frozen=True, slots=True)
class Repeating:
    """Records of an app that may repeat erased text of other records; `field` names their list in the API, and the help
    text says whether they stay."""

    field: str
    help_text: str
    find: Find


#: What is left of erased texts: the content rows, with their hashes, by the erased row.
Left = dict[uuid.UUID, list[tuple[uuid.UUID, bytes]]]


#: `chains(tenant_id, records)`: the agent's chain with an entry about a record, by the record's id.
Chains = Callable[[uuid.UUID, list[uuid.UUID]], dict[uuid.UUID, str]]


@dataclass(frozen=True, slots=True)
class Keeper:
    """An app that stores text or data derived from it: search vectors, digests, embeddings."""

    name: str
    #: Tables whose dead rows and indexes contain such data; `manage.py purge_erased` rewrites them.
    tables: tuple[str, ...]
    repeating: tuple[Repeating, ...] = ()
    chains: Chains | None = None
    #: A table of further texts of its records, which are not sealed: the id is that of the content row.
    derived: str = ""
    #: `texts_left(tenant_id, erasure_id)`: what an erasure by value left of the texts that it deleted.
    texts_left: Callable[[uuid.UUID, uuid.UUID], Left] | None = None


_keepers: dict[str, Keeper] = {}


def register(keeper: Keeper) -> None:
    """Register an app's text for erasure; called once by its `ready()`."""
    _keepers[keeper.name] = keeper


def keepers() -> list[Keeper]:
    """All keepers, in order of registration."""
    return list(_keepers.values())


def tables() -> list[str]:
    """The tables that contain erased text until they are rewritten."""
    return list(dict.fromkeys(table for keeper in keepers() for table in keeper.tables))


def repeating() -> list[Repeating]:
    """The kinds of records, of all keepers, that may repeat erased text."""
    return [one for keeper in keepers() for one in keeper.repeating]


def derived() -> list[str]:
    """The tables of further texts of records."""
    return [keeper.derived for keeper in keepers() if keeper.derived]


def texts_left_by(tenant_id: uuid.UUID, erasure_id: uuid.UUID) -> Left:
    """What an erasure by value left of the texts that it deleted."""
    found: Left = {}
    for keeper in keepers():
        found |= keeper.texts_left(tenant_id, erasure_id) if keeper.texts_left else {}
    return found


def chains_of(tenant_id: uuid.UUID, records: list[uuid.UUID]) -> dict[uuid.UUID, str]:
    """The agents' chains with entries about some of `records`, by record: each gets a redaction entry too."""
    found: dict[uuid.UUID, str] = {}
    for keeper in keepers():
        found |= keeper.chains(tenant_id, records) if keeper.chains else {}
    return found


def find_repeating(
    tenant_id: uuid.UUID, records: list[uuid.UUID], contents: list[uuid.UUID]
) -> dict[str, list[uuid.UUID]]:
    """Records that contain one of `records` and have texts not in `contents`, by the field of their keeper: those texts
    may repeat erased text."""
    return {one.field: one.find(tenant_id, records, contents) for one in repeating()}
