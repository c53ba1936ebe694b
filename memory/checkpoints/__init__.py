"""Checkpoints: the saved states of running agents, from which their sessions resume.

Other rooms import from this module alone; the views are memory/api/checkpoints.py and memory/api/running_sessions.py.
"""

from memory.checkpoints.db import checkpoints_about
from memory.checkpoints.entry_types import TYPES
from memory.checkpoints.json_members import MAX_BODY_BYTES
from memory.checkpoints.removing import delete_files, prune
from memory.checkpoints.sweeping import sweep, sweep_all, verify

__all__ = ["MAX_BODY_BYTES", "TYPES", "checkpoints_about", "delete_files", "prune", "sweep", "sweep_all", "verify"]
