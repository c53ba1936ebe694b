"""The ledger entries about checkpoints."""

from governance.ledger.entry_types import FLAG, ID, LIST, NUMBER, TEXT, EntryType, Field

_CHECKPOINT = Field("checkpoint", ID, "the checkpoint")
_SESSION = Field("session_id", TEXT, "the session's id, as its agent says it")

TYPES = (
    EntryType(
        "checkpoint.restored",
        "Checkpoint restored",
        "an agent gets the state of a checkpoint to go on from",
        (
            _CHECKPOINT,
            _SESSION,
            Field("turn", NUMBER, "the turn of the checkpoint"),
            Field("depth", NUMBER, "how deep its agent ran"),
            Field("is_resumed", FLAG, "whether the session goes on from it; false for an agent that may only read it"),
            Field("corrections", NUMBER, "how many memories in it have changed since"),
        ),
        ("checkpoint",),
    ),
    EntryType(
        "checkpoint.pinned",
        "Checkpoint pinned or released",
        "an agent keeps a checkpoint from being pruned, or no longer",
        (_CHECKPOINT, _SESSION, Field("is_pinned", FLAG, "whether it is kept")),
        ("checkpoint",),
    ),
    EntryType(
        "checkpoint.deleted",
        "Checkpoints deleted",
        "somebody deletes checkpoints of a session",
        (_SESSION, Field("checkpoints", LIST, "the checkpoints")),
        ("checkpoints",),
    ),
    EntryType(
        "session.shared",
        "Session shared",
        "the agent that owns a session says which others may read its checkpoints",
        (
            Field("session", ID, "the running session"),
            _SESSION,
            Field("agents", LIST, "the agents that it is shared with from now on"),
            Field("may_continue", FLAG, "whether they may report its turns too"),
        ),
        ("session",),
    ),
)
