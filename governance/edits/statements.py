"""Statements about edits in ledger entries: proposals, decisions and times of application."""

import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from governance.ledger.comparisons import ProvenEntry
from suture_verify.entries import EDITS_PROPOSED

#: The prefix of the name of a rule that decides.
RULE: Final = "policy:"


class Proposal(NamedTuple):
    """A proposal of an edit in an entry. None: the entry does not contain the field."""

    seq: int
    op: str
    target_type: str
    target_id: str
    patch_sha256: str
    approvals_required: int | None
    policy: str | None
    #: None: the database proposed the edit, on behalf of the recorder of its target.
    proposed_by: str | None


class Decision(NamedTuple):
    """A decision on an edit in an entry. None: the entry does not contain the field."""

    seq: int
    ts: datetime
    #: The decision of the verdict.
    decision: str
    #: The id of the verdict; None for a rule's decision.
    verdict: str | None
    actor_kind: str
    actor_id: str
    actor: str
    patch_sha256: str | None
    is_in_effect: bool
    applied_at: datetime | None


@dataclass(slots=True)
class EditStatements:
    """The statements of the ledger's entries about one edit, in order."""

    proposal: Proposal | None = None
    decisions: list[Decision] = field(default_factory=list)
    #: Entries that propose the edit again.
    repeated: list[int] = field(default_factory=list)

    def add(self, said: Proposal | Decision) -> None:
        """Add the statement of the next entry."""
        if isinstance(said, Decision):
            self.decisions.append(said)
        elif self.proposal is None:
            self.proposal = said
        else:
            self.repeated.append(said.seq)


def moment(at: datetime) -> str:
    """The format of an application time in an entry."""
    return at.astimezone(UTC).isoformat(timespec="microseconds")


def statements_of(proven: ProvenEntry) -> Iterator[tuple[str, Proposal | Decision]]:
    """The statements of an entry about edits, with their ids; none if its metadata does not match its type."""
    read = _READERS.get(proven.entry.type)
    if read is None:
        return
    try:
        said = list(read(proven))
    except (AttributeError, KeyError, TypeError, ValueError):
        return
    yield from said


def _read_proposed(proven: ProvenEntry) -> Iterator[tuple[str, Proposal | Decision]]:
    said = proven.entry.metadata
    yield (
        _id(said["edit"]),
        Proposal(
            proven.seq, said["op"], said["target_type"], said["target_id"], said["patch_sha256"],
            _number(said["approvals_required"]), said["policy"], _text(said["actor"]["id"]),
        ),
    )  # fmt: skip


def _read_batch(proven: ProvenEntry) -> Iterator[tuple[str, Proposal | Decision]]:
    said, by = proven.entry.metadata, _actor(proven)
    is_in_effect = said["in_effect"] is True
    required = _number(said["approvals_required"])
    moments = said["applied_at"] if is_in_effect else [None] * len(said["edits"])
    for edit, target, patch, at in zip(said["edits"], said["targets"], said["patches"], moments, strict=True):
        proposal = Proposal(proven.seq, said["op"], said["target_type"], target, patch, required, None, by[1])
        yield _id(edit), proposal
        if is_in_effect:
            yield edit, Decision(proven.seq, proven.entry.ts, "approved", None, *by, None, True, _moment_in(at))


def _read_decision(proven: ProvenEntry) -> Iterator[tuple[str, Proposal | Decision]]:
    said, by = proven.entry.metadata, _actor(proven)
    edit, decision, rule = _id(said["edit"]), proven.entry.type.removeprefix("edit."), said.get("decided_by")
    if "op" in said:  # no other entry proposes it
        about = said["op"], said["target_type"], said["target_id"], said["patch_sha256"]
        yield edit, Proposal(proven.seq, *about, 0, _text(rule).removeprefix(RULE), None)
    verdict = None if rule else _text(said["verdict"])
    patch, at = said.get("patch_sha256"), _moment_in(said.get("applied_at"))
    is_in_effect = decision == "approved" and said["in_effect"] is True
    yield edit, Decision(proven.seq, proven.entry.ts, decision, verdict, *by, patch, is_in_effect, at)


def _actor(proven: ProvenEntry) -> tuple[str, str, str]:
    actor = proven.entry.metadata["actor"]
    return _text(actor["kind"]), _text(actor["id"]), _text(actor["name"])


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("not a string")
    return value


def _id(value: Any) -> str:
    if str(uuid.UUID(value)) != value:
        raise ValueError("not an id in its usual form")
    return _text(value)


def _number(value: Any) -> int:
    if type(value) is not int:
        raise TypeError("not a whole number")
    return value


def _moment_in(text: Any) -> datetime | None:
    if text is None:
        return None
    found = datetime.fromisoformat(text)
    if found.utcoffset() is None:
        raise ValueError("a time without a time zone")
    return found


_READERS: Mapping[str, Callable[[ProvenEntry], Iterator[tuple[str, Proposal | Decision]]]] = {
    "edit.proposed": _read_proposed,
    EDITS_PROPOSED: _read_batch,
    "edit.approved": _read_decision,
    "edit.rejected": _read_decision,
    "edit.withdrawn": _read_decision,
    "edit.expired": _read_decision,
}

#: The types of entries about edits.
TYPES: Final = tuple(_READERS)
