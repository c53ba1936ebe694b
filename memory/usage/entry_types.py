"""The ledger entry for changes of confidence by a person."""

from governance.ledger.entry_types import ID, TEXT, EntryType, Field

TYPES = (
    EntryType(
        "confidence.changed",
        "Confidence changed",
        "a reviewer or admin sets the confidence in a memory",
        (
            Field("chunk", ID, "the memory"),
            Field("before", TEXT, "the previous confidence, a number from 0 to 1"),
            Field("after", TEXT, "the new confidence"),
            Field("reason", TEXT, "the reason"),
        ),
        ("chunk",),
    ),
)
