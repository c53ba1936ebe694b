"""The entries of an agent's chain, and of the memory that expires."""

from governance.ledger.entry_types import (
    FLAG,
    ID,
    LIST,
    MOMENT,
    NUMBER,
    TEXT,
    Chains,
    EntryType,
    Field,
    Presence,
)

_CHUNK = Field("chunk", ID, "the chunk with its text")
_RECORD = (
    _CHUNK,
    Field("importance", TEXT, "its importance, a number from 0 to 1"),
    Field("channel", TEXT, "the channel in which it was recorded"),
    Field("expires_at", MOMENT, "when it expires", Presence.NULLABLE),
)

TYPES = (
    EntryType(
        "memory",
        "Memory committed",
        "the agent commits a memory",
        _RECORD,
        ("chunk",),
        Chains.OTHERS,
    ),
    EntryType(
        "consolidation",
        "Memories consolidated",
        "the agent replaces several memories by one understanding",
        (
            *_RECORD,
            Field("supersedes", LIST, "the numbers of the entries that it supersedes"),
            Field("reason", TEXT, "the reason", Presence.NULLABLE),
        ),
        ("chunk",),
        Chains.OTHERS,
    ),
    EntryType(
        "block",
        "Memory block updated",
        "the agent writes a version of a memory block",
        (
            *_RECORD,
            Field("block_label", TEXT, "the label: persona, user_profile, goals or knowledge"),
            Field("version", NUMBER, "the number of the version, from 1"),
            Field("previous_block_seq", NUMBER, "the number of the previous version's entry", Presence.NULLABLE),
            Field("is_core", FLAG, "whether every context has it"),
        ),
        ("chunk",),
        Chains.OTHERS,
    ),
    EntryType(
        "decision",
        "Decision recorded",
        "the agent records a decision",
        (Field("decision", ID, "the decision"), Field("event", ID, "the event that it was recorded with")),
        ("decision",),
        Chains.OTHERS,
    ),
    EntryType(
        "memory.expired",
        "Memory expired",
        "ephemeral memory expires",
        (Field("chunks", LIST, "the expired chunks"),),
    ),
)
