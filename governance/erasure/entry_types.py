"""Ledger entries about erasures."""

from governance.ledger.entry_types import (
    ID,
    LIST,
    OBJECT,
    TEXT,
    Chains,
    EntryType,
    Field,
    Presence,
)
from suture_verify.entries import REDACTION

_ERASURE = Field("erasure", ID, "the erasure")
_REASON = Field("reason", TEXT, "the reason")


TYPES = (
    EntryType(
        "erasure.proposed",
        "Erasure proposed",
        "an admin proposes an erasure",
        (
            _ERASURE,
            Field("by", TEXT, "the kind of its target: an event, a chunk, a subject, an agent, ..."),
            Field("target_id", ID, "the id of its target", Presence.NULLABLE),
            Field("subject_type", TEXT, "the type of its subject", Presence.NULLABLE),
            Field("subject_id", TEXT, "the id of its subject", Presence.NULLABLE),
            _REASON,
            Field("counts", OBJECT, "how many records of each kind would be erased"),
        ),
        ("target_id", "erasure"),
    ),
    EntryType(
        "erasure.approved",
        "Erasure approved",
        "a second admin approves an erasure",
        (_ERASURE, _REASON),
        ("erasure",),
    ),
    EntryType(
        "erasure.rejected",
        "Erasure rejected",
        "a second admin rejects an erasure",
        (_ERASURE, _REASON),
        ("erasure",),
    ),
    EntryType(
        "erasure.withdrawn",
        "Erasure withdrawn",
        "the proposer withdraws an erasure",
        (_ERASURE, _REASON),
        ("erasure",),
    ),
    EntryType(
        REDACTION,
        "Words erased",
        "an erasure deletes texts: the entry explains why they are missing; agents' chains have entries of their own",
        (
            _ERASURE,
            Field("contents", LIST, "pairs of the id of a content and the hash of its text"),
            Field("left", LIST, "such pairs of what an erasure by value left of these texts", Presence.OPTIONAL),
        ),
        ("erasure",),
        Chains.EVERY,
    ),
    EntryType(
        "erasure.executed",
        "Erasure executed",
        "an approved erasure has deleted all its texts",
        (_ERASURE, Field("counts", OBJECT, "how many records of each kind were erased")),
        ("erasure",),
    ),
)
