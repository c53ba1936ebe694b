"""Compare the rows about erasures with the signed entries: proposal, decision and erased texts.

The rows are read by plain SELECTs. Erasures are compared in batches, since one may have a million texts.
"""

import uuid
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

from django.db import connections
from psycopg import sql

from governance.erasure import keepers
from governance.erasure.proposals import PROPOSED, Proposal
from governance.ledger import sealed_kinds
from governance.ledger.comparisons import Comparison, ProvenEntry
from governance.models import Content, ErasedContent, Erasure, ErasureItem, ErasureState
from suture_verify.entries import REDACTION
from suture_verify.findings import ROWS, Kind, Row

EXECUTED: Final = "erasure.executed"
#: The status of an erasure after an entry about a decision.
DECISIONS: Final = {f"erasure.{status}": status for status in ("approved", "rejected", "withdrawn")}
TYPES: Final = (PROPOSED, *DECISIONS, REDACTION, EXECUTED)

#: Texts and erasures per batch.
CONTENTS, ERASURES = 50_000, 1_000
#: A row is written in the transaction of its entry, but the clock may be set back in between.
AT_MOST_BEFORE = timedelta(days=1)


@dataclass(slots=True)
class _History:
    """The history of one erasure in the entries."""

    #: The entry that proposes it.
    proposed_in: int
    proposal: Proposal | None = None
    proposed_at: datetime | None = None
    status: str = "pending"
    decided_by: str | None = None
    decider: str | None = None
    decided_at: datetime | None = None
    decision_reason: str = ""
    #: The entries that decided and executed it.
    decided_in: int | None = None
    executed_in: int | None = None
    counts: dict[str, int] | None = None
    contents: dict[uuid.UUID, bytes] = field(default_factory=dict)

    @property
    def newest(self) -> int:
        """The entry that set its status."""
        return next(seq for seq in (self.executed_in, self.decided_in, self.proposed_in) if seq is not None)


def compare(comparison: Comparison) -> None:
    """Add a finding for every row about an erasure that the entries do not prove, and for every decision by a person
    who was not allowed to make it."""
    compared = _Compared(comparison)
    for proven in comparison.entries(TYPES):
        try:
            compared.take(proven)
        except (KeyError, TypeError, ValueError, AttributeError):
            # The server signs no such entry, so its signature is a finding. It proves nothing here.
            continue
    compared.compare()


class _Compared:
    """The erasures of one comparison, while their entries are applied."""

    def __init__(self, comparison: Comparison) -> None:
        self.comparison = comparison
        self.accounts: dict[str, _History] = {}
        #: The erasures whose texts must still be compared, and the number of these texts.
        self.due: list[str] = []
        self.size = 0
        #: Erasures whose items were compared.
        self.done: set[uuid.UUID] = set()
        #: Texts that remained of erased ones and must still be compared: the hash in the entry.
        self.left: dict[uuid.UUID, bytes] = {}

    def take(self, proven: ProvenEntry) -> None:
        """Apply one entry."""
        said, type_ = proven.entry.metadata, proven.entry.type
        id_ = str(uuid.UUID(said["erasure"]))
        account = self.accounts.setdefault(id_, _History(proven.seq))
        if type_ == PROPOSED:
            self._propose(proven, id_, account)
        elif type_ == REDACTION:
            account.contents.update({uuid.UUID(content): bytes.fromhex(digest) for content, digest in said["contents"]})
            self.size += len(said["contents"])
            self.left |= {uuid.UUID(content): bytes.fromhex(digest) for content, digest in said.get("left", ())}
            if len(self.left) >= CONTENTS:
                self._compare_left()
        elif type_ == EXECUTED:
            account.status, account.counts, account.executed_in = "executed", said["counts"], proven.seq
            self.due.append(id_)
            if self.size >= CONTENTS or len(self.due) >= ERASURES:
                self._compare_items()
        else:
            self._decide(proven, id_, account)

    def compare(self) -> None:
        """Compare the rows after all entries were applied."""
        self.due += [id_ for id_, account in self.accounts.items() if account.contents and id_ not in self.due]
        self._compare_items()
        self._compare_left()
        self._find_planted_items()
        self._compare_records()
        self._compare_erasures()
        self._compare_states()

    def _propose(self, proven: ProvenEntry, id_: str, account: _History) -> None:
        if account.proposal is not None:
            self._find_entry(proven, f"The erasure {id_} is proposed again")
            return
        account.proposal, account.proposed_at = Proposal.in_entry(proven.entry), proven.entry.ts

    def _decide(self, proven: ProvenEntry, id_: str, account: _History) -> None:
        said, status = proven.entry.metadata, DECISIONS[proven.entry.type]
        who = said["actor"]["name"]
        if account.proposal is None:
            self._find_entry(proven, f"The erasure {id_} is {status} by {who}, but no entry proposed it")
        elif account.status != "pending":
            self._find_entry(proven, f"The erasure {id_} is {status} by {who}, but it was already {account.status}")
        elif status == "withdrawn" and said["actor"]["id"] != account.proposal.proposed_by:
            self._find_entry(proven, f"The erasure {id_} is withdrawn by {who}, who did not propose it")
        elif status != "withdrawn" and said["actor"]["id"] == account.proposal.proposed_by:
            self._find_entry(proven, f"The erasure {id_} is {status} by {who}, who proposed it")
        account.status, account.decided_at, account.decided_in = status, proven.entry.ts, proven.seq
        account.decided_by, account.decider, account.decision_reason = said["actor"]["id"], who, said["reason"]

    def _compare_items(self) -> None:
        """Compare the texts of the current batch of erasures, and then drop them from memory."""
        seen: dict[uuid.UUID, set[uuid.UUID]] = defaultdict(set)
        records: dict[uuid.UUID, set[tuple[str, uuid.UUID]]] = defaultdict(set)
        due = [uuid.UUID(id_) for id_ in self.due]
        rows = self._rows(ErasureItem).filter(erasure_id__in=due).order_by("erasure_id", "record_id", "content_id")
        for id_, erasure, kind, record, content, digest in rows.values_list(
            "id", "erasure_id", "kind", "record_id", "content_id", "sha256"
        ).iterator():
            account = self.accounts[str(erasure)]
            records[erasure].add((kind, record))
            expected = account.contents.get(content)
            if expected is None:
                detail = f"The erasure {erasure} erased the text {content} by this row, but no redaction names it"
                self._find(ErasureItem, id_, detail, "content_id", content, None)
                continue
            seen[erasure].add(content)
            if bytes(digest) != expected:
                found = bytes(digest).hex()
                self._differs(ErasureItem, id_, f"the text {content}", "sha256", found, expected.hex(), "a redaction")
        for erasure in due:
            account = self.accounts[str(erasure)]
            for content in account.contents.keys() - seen[erasure]:
                detail = (
                    f"The erasure {erasure} erased the text {content} by entry {account.newest}, but has no row for it"
                )
                self._find(ErasureItem, content, detail, None, None, content)
            self._compare_counts(erasure, account, Counter(kind for kind, _ in records[erasure]))
            self.size -= len(account.contents)
            account.contents = {}
        self.done.update(due)
        self.due = []

    def _compare_counts(self, erasure: uuid.UUID, account: _History, found: Counter[str]) -> None:
        if account.counts is None:
            return
        expected = {kind: count for kind, count in account.counts.items() if kind != "content"}
        for kind in sorted(found.keys() | expected.keys()):
            has, wanted = found[kind], expected.get(kind, 0)
            if has != wanted:
                detail = f"The erasure {erasure} has rows of {has} records of the kind {kind}, but by entry"
                detail += f" {account.newest} it erased {wanted}"
                self._find(ErasureItem, erasure, detail, "record_id", has, wanted)

    def _compare_left(self) -> None:
        """Compare the texts that remained of erased ones. A later erasure may have deleted them."""
        found: dict[uuid.UUID, bytes] = {}
        for model in (Content, ErasedContent):
            found |= dict(self._rows(model).filter(id__in=list(self.left)).values_list("id", "sha256"))
        for id_, expected in self.left.items():
            has = None if id_ not in found else bytes(found[id_])
            if has != expected:
                of = f"the text {id_}, which an erasure left,"
                self._differs(Content, id_, of, "sha256", has and has.hex(), expected.hex(), "a redaction")
        self.left = {}

    def _find_planted_items(self) -> None:
        erasures = self._rows(ErasureItem).order_by("erasure_id").values_list("erasure_id", flat=True).distinct()
        planted = [erasure for erasure in erasures if erasure not in self.done]
        for start in range(0, len(planted), ERASURES):
            rows = self._rows(ErasureItem).filter(erasure_id__in=planted[start : start + ERASURES]).order_by("id")
            for id_, erasure, content in rows.values_list("id", "erasure_id", "content_id").iterator():
                detail = f"The erasure {erasure} erased the text {content} by this row, but no entry executed it"
                self._find(ErasureItem, id_, detail, "content_id", content, None)

    def _compare_records(self) -> None:
        """Report the items whose record has a different text, or no text."""
        kinds = {kind.name: kind for kind in sealed_kinds.kinds() if kind.form.words}
        present = self._rows(ErasureItem).order_by("kind").values_list("kind", flat=True).distinct()
        for name in list(present):
            with connections[self.comparison.using].cursor() as cursor:
                cursor.execute(
                    _items_without_record(kinds.get(name)),
                    {"tenant": self.comparison.tenant_id, "kind": name},
                )
                wrong = cursor.fetchall()
            for id_, erasure, record, content in wrong:
                detail = (
                    f"The erasure {erasure} erased the text {content} of the {name} {record}, which does not have it"
                )
                self._find(ErasureItem, id_, detail, "record_id", record, None)

    def _compare_erasures(self) -> None:
        missing = {id_: account for id_, account in self.accounts.items() if account.proposal is not None}
        for row in self._rows(Erasure).order_by("id").iterator():
            account = missing.pop(str(row.id), None)
            if account is None or account.proposal is None:
                detail = f"The erasure {row.id} by {row.proposer} is in the database, but no entry proposed it"
                self._find(Erasure, row.id, detail, None, row.proposer, None)
                continue
            found, of, said = Proposal.in_row(row), f"the erasure {row.id}", f"entry {account.proposed_in}"
            for name, has, wanted in zip(Proposal._fields, found, account.proposal, strict=True):
                if has != wanted:
                    self._differs(Erasure, row.id, of, name, has, wanted, said)
            if not _is_near(row.created_at, account.proposed_at):
                self._differs(Erasure, row.id, of, "created_at", row.created_at, account.proposed_at, said)
        for id_, account in missing.items():
            detail = f"The erasure {id_} was proposed by entry {account.proposed_in}, but is not in the database"
            self._find(Erasure, id_, detail, None, None, account.proposal and account.proposal.proposer)

    def _compare_states(self) -> None:
        missing = {id_: account for id_, account in self.accounts.items() if account.proposal is not None}
        for row in self._rows(ErasureState).order_by("erasure_id").iterator():
            account = missing.pop(str(row.erasure_id), None)
            if account is None or account.proposal is None:
                detail = f"The erasure {row.erasure_id} is {row.status}, but no entry proposed it"
                self._find(ErasureState, row.erasure_id, detail, "status", row.status, None)
                continue
            compared: dict[str, tuple[object, object]] = {
                "status": (row.status, account.status),
                "proposed_by": (str(row.proposed_by), account.proposal.proposed_by),
                "decided_by": (row.decided_by and str(row.decided_by), account.decided_by),
                "decider": (row.decider, account.decider),
                "decision_reason": (row.decision_reason, account.decision_reason),
            }
            if not _is_near(row.decided_at, account.decided_at):
                compared["decided_at"] = (row.decided_at, account.decided_at)
            for name, (has, wanted) in compared.items():
                if has != wanted:
                    seq = {"status": account.newest, "proposed_by": account.proposed_in}.get(name, account.decided_in)
                    said = f"entry {account.newest if seq is None else seq}"
                    self._differs(
                        ErasureState, row.erasure_id, f"the erasure {row.erasure_id}", name, has, wanted, said
                    )
        for id_, account in missing.items():
            detail = f"The erasure {id_} is {account.status} by entry {account.newest}, but its state is missing"
            self._find(ErasureState, id_, detail, None, None, account.status)

    def _rows(self, model: Any) -> Any:
        return model.objects.using(self.comparison.using).filter(tenant_id=self.comparison.tenant_id)

    def _differs(
        self, model: Any, row_id: object, of: str, field: str, found: object, expected: object, said: str
    ) -> None:
        detail = f"{field} of {of} is {_text(found)}, but {said} of the ledger says {_text(expected)}"
        self._find(model, row_id, detail, field, found, expected)

    def _find(
        self,
        model: Any,
        row_id: object,
        detail: str,
        field: str | None,
        found: object,
        expected: object,
    ) -> None:
        table = model._meta.db_table
        self.comparison.findings.add(
            Kind.UNPROVEN_STATE,
            ROWS,
            None,
            f"{detail} ({table} {row_id})",
            row=Row(table, str(row_id), field),
            found=_text(found),
            expected=_text(expected),
        )

    def _find_entry(self, proven: ProvenEntry, detail: str) -> None:
        self.comparison.findings.add(Kind.UNPROVEN_AUTHORITY, proven.chain, proven.seq, detail)


def _items_without_record(kind: sealed_kinds.SealedKind | None) -> sql.Composable:
    """The items of a kind whose record is missing or does not have their text; all items if there is no such kind."""
    items: sql.Composable = sql.SQL(
        "SELECT i.id, i.erasure_id, i.record_id, i.content_id FROM public.governance_erasureitem i"
        " WHERE i.tenant_id = %(tenant)s AND i.kind = %(kind)s"
    )
    if kind is None:
        return items
    for table in keepers.derived():
        items += sql.SQL(
            " AND NOT EXISTS (SELECT FROM public.{} d WHERE d.tenant_id = %(tenant)s AND d.id = i.content_id)"
        ).format(sql.Identifier(table))
    return items + sql.SQL(
        " AND NOT EXISTS (SELECT FROM public.{} r WHERE r.tenant_id = %(tenant)s AND r.id = i.record_id"
        " AND i.content_id IN ({}))"
    ).format(sql.Identifier(kind.table), sql.SQL(", ").join(sql.Identifier("r", one.column) for one in kind.form.words))


def _is_near(time: datetime | None, said: datetime | None) -> bool:
    """Whether a row whose entry has the time `said` can have been written at `time`."""
    if time is None or said is None:
        return time is said
    return said - AT_MOST_BEFORE <= time <= said


def _text(value: object) -> str:
    match value:
        case None:
            return "nothing"
        case datetime():
            return value.isoformat()
        case _:
            return str(value)
