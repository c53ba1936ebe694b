"""Checkpoints of running agents, on the client's side: docs/checkpoints.md."""

from capture.checkpointing.plain import NotJson
from capture.checkpointing.restoring import Checkpoint, Correction, PendingOperation, Restored, restore
from capture.checkpointing.running import Checkpointer, Pending, Turn
from capture.checkpointing.variables import (
    CannotRepresent,
    LeftOut,
    Rebuilt,
    UnknownEncoding,
    capture_variables,
    rebuild_variables,
)
from capture.client import Away, Failed, Problem

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
    "capture_variables",
    "rebuild_variables",
    "restore",
]
