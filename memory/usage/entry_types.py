"""The ledger entries for changes of confidence by a person, and for unusual recorders."""

from governance.ledger.entry_types import ID, MOMENT, NUMBER, TEXT, EntryType, Field

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
    EntryType(
        "recorder.unusual",
        "Unusual recorder",
        "an agent or a person records, or edits others' memory, far more than usual; at most once an hour for the same",
        (
            Field("recorder", ID, "the agent or person"),
            Field("name", TEXT, "their name"),
            Field("what", TEXT, "`records` for recorded chunks, `edits` for edits of others' memory"),
            Field("number", NUMBER, "how many since then"),
            Field("usual", NUMBER, "records: of the whole tenant in that time; edits: the tenant's limit"),
            Field("since", MOMENT, "since when they were counted"),
        ),
        ("recorder",),
    ),
)
