"""The ledger entries about checkpoints."""

from governance.ledger.entry_types import FLAG, ID, LIST, NUMBER, TEXT, EntryType, Field

_CHECKPOINT = Field("checkpoint", ID, "the checkpoint")
_SESSION = Field("session_id", TEXT, "the session's id, as its agent says it")
_RUNNING = Field("session", ID, "the running session")

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
        "the agent that owns a session says to which others it is offered; who is not named loses it",
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
        "somebody deletes a session for good, with its checkpoints and shares",
        (_RUNNING, _SESSION, Field("checkpoints", LIST, "the checkpoints that it had")),
        ("session",),
    ),
)
