"""The ledger entries about checkpoints."""

from governance.ledger.entry_types import FLAG, ID, LIST, NUMBER, TEXT, EntryType, Field

_CHECKPOINT = Field("checkpoint", ID, "the checkpoint")
_SESSION = Field("session_id", TEXT, "the agent's id of the session")
_RUNNING = Field("session", ID, "the running session")

TYPES = (
    EntryType(
        "checkpoint.restored",
        "Checkpoint restored",
        "an agent gets the state of a checkpoint to continue from",
        (
            _CHECKPOINT,
            _SESSION,
            Field("turn", NUMBER, "the turn of the checkpoint"),
            Field("depth", NUMBER, "the depth of its agent"),
            Field(
                "is_resumed", FLAG, "whether the session continues from it; false for an agent that may only read it"
            ),
            Field("corrections", NUMBER, "how many memories in it have changed since then"),
        ),
        ("checkpoint",),
    ),
    EntryType(
        "checkpoint.pinned",
        "Checkpoint pinned or released",
        "an agent exempts a checkpoint from pruning, or undoes this",
        (_CHECKPOINT, _SESSION, Field("is_pinned", FLAG, "whether it is kept")),
        ("checkpoint",),
    ),
    EntryType(
        "checkpoint.deleted",
        "Checkpoints deleted",
        "checkpoints of a session are deleted",
        (_SESSION, Field("checkpoints", LIST, "the checkpoints")),
        ("checkpoints",),
    ),
    EntryType(
        "session.shared",
        "Session shared",
        "the owner of a session sets the agents that it is offered to; others lose access",
        (
            _RUNNING,
            _SESSION,
            Field("agents", LIST, "the agents that it is offered to from now on"),
            Field("may_continue", FLAG, "whether they may report its turns too"),
        ),
        ("session",),
    ),
    EntryType(
        "session.taken",
        "Session taken",
        "an agent uses a session that another agent offers it for the first time",
        (_RUNNING, _SESSION, Field("owner", TEXT, "the agent that owns the session")),
        ("session",),
    ),
    EntryType(
        "session.deleted",
        "Session deleted",
        "a session is permanently deleted, with its checkpoints and shares",
        (_RUNNING, _SESSION, Field("checkpoints", LIST, "its checkpoints")),
        ("session",),
    ),
)
