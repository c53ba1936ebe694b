"""Comparisons of rows with the verified ledger, in addition to the sealed rows: each room and app registers its own.

A comparison reads rows by plain SELECTs, so that no function of the database can affect its result.
"""

import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

from django.db import connections, transaction

from governance.models import Entry as EntryRow
from suture_verify.entries import GOVERNANCE, Entry, MalformedEntry, parse_entry
from suture_verify.findings import Findings

#: Entries read at a time.
PAGE = 2_000

#: The connection that bypasses row security.
OWNER = "owner"


class ProvenEntry(NamedTuple):
    """An entry, parsed from its signed bytes, and its place."""

    chain: str
    seq: int
    entry: Entry


@dataclass(frozen=True, slots=True)
class Comparison:
    """A running verification of a tenant. `using` is a connection that bypasses row security, in one snapshot: always
    filter by `tenant_id`."""

    tenant_id: uuid.UUID
    using: str
    findings: Findings

    def entries(self, types: Sequence[str], chain: str = GOVERNANCE) -> Iterator[ProvenEntry]:
        """The entries of some types in one chain, in order. Signatures and links are verified separately; malformed
        entries are findings there, and skipped here."""
        after = -1
        while True:
            rows = EntryRow.objects.using(self.using).filter(
                tenant_id=self.tenant_id, chain__name=chain, type__in=types, seq__gt=after
            )
            page = list(rows.order_by("seq").values_list("seq", "canonical")[:PAGE])
            for seq, canonical in page:
                try:
                    entry = parse_entry(bytes(canonical))
                except MalformedEntry:
                    continue
                yield ProvenEntry(chain, seq, entry)
            if len(page) < PAGE:
                return
            after = page[-1][0]


@contextmanager
def snapshot(tenant_id: uuid.UUID, findings: Findings) -> Iterator[Comparison]:
    """A comparison that reads one snapshot of the database, in a transaction of the owner that ends with the block."""
    with transaction.atomic(using=OWNER):
        with connections[OWNER].cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        yield Comparison(tenant_id, OWNER, findings)


Compare = Callable[[Comparison], None]

_comparisons: dict[str, Compare] = {}


def register(name: str, compare: Compare) -> None:
    """Make every verification run `compare`, which adds to `findings`; called once by the app's `ready()`. `name` is
    its name in progress messages."""
    _comparisons[name] = compare


def comparisons() -> dict[str, Compare]:
    """All comparisons by name, in order of registration."""
    return dict(_comparisons)
