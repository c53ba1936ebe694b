"""Client for checkpoints of running agents (docs/checkpoints.md)."""

from suture_client.checkpointing.checkpointer import Checkpointer, Pending, Turn
from suture_client.checkpointing.plain_json import NotJson
from suture_client.checkpointing.restoring import Checkpoint, Correction, PendingOperation, Restored, restore
from suture_client.checkpointing.variables import (
    CannotRepresent,
    LeftOut,
    Rebuilt,
    UnknownEncoding,
    capture_variables,
    rebuild_variables,
)
from suture_client.errors import Away, Failed, Problem, UnsupportedVersion

__all__ = [
    "Away",
    "CannotRepresent",
    "Checkpoint",
    "Checkpointer",
    "Correction",
    "Failed",
    "LeftOut",
    "NotJson",
    "Pending",
    "PendingOperation",
    "Problem",
    "Rebuilt",
    "Restored",
    "Turn",
    "UnknownEncoding",
    "UnsupportedVersion",
    "capture_variables",
    "rebuild_variables",
    "restore",
]
