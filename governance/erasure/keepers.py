"""Which apps store texts that an erasure deletes. Governance imports no other app: each registers itself here.

An app `<name>` has two SQL functions, which the database finds by their names, so that no caller can omit one:
`erasable_of_<name>(tenant, by, target, subject_type, subject_id)` names its records (erasure_scope calls it), and
`erase_copies_of_<name>(tenant, erasure)` destroys what it derived from erased words, in the transaction of the erasure
(erase_content calls it). Here it says in which tables deleted words lie until they are rewritten.
"""

import uuid
from collections.abc import Callable
from dataclasses import dataclass

#: `find(tenant_id, records, contents)`: ids of records that hold one of `records` and have texts other than `contents`.
Find = Callable[[uuid.UUID, list[uuid.UUID], list[uuid.UUID]], list[uuid.UUID]]


@dataclass(frozen=True, slots=True)
class Repeating:
    """Records of an app that may repeat the words of others that go; `field` names their list in the API, and the help
    says whether they stay."""

    field: str
    help_text: str
    find: Find


#: `chains(tenant_id, records)`: the chain of an agent that has an entry about a record, by the record's id.
Chains = Callable[[uuid.UUID, list[uuid.UUID]], dict[uuid.UUID, str]]


@dataclass(frozen=True, slots=True)
class Keeper:
    """An app that keeps words or what is made of them: search vectors, digests, embeddings."""

    name: str
    #: Tables whose dead rows and indexes hold them: what `manage.py purge_erased` rewrites.
    tables: tuple[str, ...]
    repeating: tuple[Repeating, ...] = ()
    chains: Chains | None = None


_keepers: dict[str, Keeper] = {}


def register(keeper: Keeper) -> None:
    """Make its words erasable; called once by its app's `ready()`."""
    _keepers[keeper.name] = keeper


def keepers() -> list[Keeper]:
    """All keepers, in order of their registration."""
    return list(_keepers.values())


def tables() -> list[str]:
    """Every table in which erased words lie until it is rewritten."""
    return list(dict.fromkeys(table for keeper in keepers() for table in keeper.tables))


def repeating() -> list[Repeating]:
    """What every keeper has that may repeat erased words."""
    return [one for keeper in keepers() for one in keeper.repeating]


def chains_of(tenant_id: uuid.UUID, records: list[uuid.UUID]) -> dict[uuid.UUID, str]:
    """The chains of agents that have entries about some of `records`, by record: each gets a redaction too."""
    found: dict[uuid.UUID, str] = {}
    for keeper in keepers():
        found |= keeper.chains(tenant_id, records) if keeper.chains else {}
    return found


def find_repeating(
    tenant_id: uuid.UUID, records: list[uuid.UUID], contents: list[uuid.UUID]
) -> dict[str, list[uuid.UUID]]:
    """Records that hold one of `records` and have texts other than `contents`, by the field of their keeper: those
    texts may repeat what is erased."""
    return {one.field: one.find(tenant_id, records, contents) for one in repeating()}
