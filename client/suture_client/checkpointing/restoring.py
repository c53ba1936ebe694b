"""Restores checkpoints: their state, pending operations, and corrections since."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Self
from uuid import UUID

from suture_client.checkpointing import plain_json
from suture_client.checkpointing.variables import Rebuilt, rebuild_variables
from suture_client.http import Api


@dataclass(frozen=True)
class Checkpoint:
    """The metadata of a checkpoint, without its state."""

    id: str
    session_id: str
    turn: int
    #: The nesting depth of the agent: 0 for the main agent.
    depth: int
    #: automatic, manual or exception
    kind: str
    label: str | None
    #: The size of its JSON in bytes.
    size: int
    #: The hash of the stored file.
    sha256: str
    #: Relative to the root of checkpoints. `restore` accepts it.
    path: str
    is_pinned: bool
    #: ISO 8601
    created_at: str

    @classmethod
    def read(cls, answer: Mapping[str, Any]) -> Self:
        """Build a checkpoint from an answer of the server."""
        return cls(**{field: answer[field] for field in cls.__dataclass_fields__})


class Correction(NamedTuple):
    """A memory that may be in the checkpoint and has changed since."""

    chunk_id: str
    version_then: int | None
    version_now: int | None
    #: amended, retracted, quarantined, blocked, erased, superseded, attenuated, audience or expired
    change: str


class PendingOperation:
    """An operation that was pending in a checkpoint. Repeat it, or check that it was done, then call `done()`."""

    def __init__(self, api: Api, checkpoint_id: str, owner: str | None, answer: Mapping[str, Any]) -> None:
        self._api, self._checkpoint_id, self._owner = api, checkpoint_id, owner
        self.id: str = answer["id"]
        #: As it was passed.
        self.operation: dict[str, Any] = answer["operation"]
        self.is_done: bool = answer["is_done"]

    def done(self, note: str | None = None) -> None:
        """Mark the operation as done in the checkpoint (idempotent). Raises Problem, Away."""
        mark_done(self._api, self._checkpoint_id, self._owner, self.id, note)
        self.is_done = True


@dataclass(frozen=True)
class Restored:
    """A checkpoint with its complete state."""

    checkpoint: Checkpoint
    #: repl_state, working_memory, pending_operations, trajectory_events, cost_so_far, messages and metadata.
    state: dict[str, Any]
    #: Including those that are done.
    pending: list[PendingOperation]
    #: Empty if no memory in the checkpoint has changed.
    corrections: list[Correction]

    def variables(self) -> Rebuilt:
        """Rebuild the variables. Raises UnknownEncoding."""
        return rebuild_variables(self.state["repl_state"])


def restore(
    session_id: str | None = None,
    *,
    checkpoint: str | UUID | None = None,
    path: str | None = None,
    depth: int = 0,
    owner: str | None = None,
    url: str | None = None,
    key: str | None = None,
) -> Restored:
    """Restore the newest checkpoint of a session at a depth, or one checkpoint by its id or path.

    `owner`: the agent that owns the session, if another agent shares it with you. Marks the session as resumed, and
    sets its turn to the checkpoint's. Raises Problem (404 if there is none, 403 for another agent's), Away.
    """
    if sum(one is not None for one in (session_id, checkpoint, path)) != 1:
        raise ValueError("Give exactly one of: a session, a checkpoint's id or a checkpoint's path.")
    api = Api(url, key)
    with api:
        if session_id is not None:
            return restored(api, newest(api, session_id, depth, owner), owner)
        if checkpoint is not None:
            return restored(api, str(checkpoint), owner)
        return _restored_path(api, path, owner)


def newest(api: Api, session_id: str, depth: int, owner: str | None) -> str:
    """Return the id of the newest checkpoint of a session at a depth. Raises Problem, Away."""
    return str(api.get("sessions", session_id, "checkpoints", "latest", depth=depth, owner=owner)["id"])


def restored(api: Api, checkpoint_id: str, owner: str | None) -> Restored:
    """Restore a checkpoint. Raises Problem, Away."""
    return _read(api, owner, api.send("POST", "checkpoints", checkpoint_id, "restore", owner=owner))


def mark_done(api: Api, checkpoint_id: str, owner: str | None, operation_id: str, note: str | None) -> None:
    """Mark an operation as done in a checkpoint. Raises Problem, Away."""
    body = "{}" if note is None else f'{{"note":{plain_json.json_of(note, "note")}}}'
    api.send("POST", "checkpoints", checkpoint_id, "operations", operation_id, "done", body=body, owner=owner)


def _restored_path(api: Api, path: str | None, owner: str | None) -> Restored:
    body = f'{{"path":{plain_json.json_of(path, "path")}}}'
    return _read(api, owner, api.send("POST", "checkpoints", "restore", body=body, owner=owner))


def _read(api: Api, owner: str | None, answer: dict[str, Any]) -> Restored:
    found = Checkpoint.read(answer)
    pending = [PendingOperation(api, found.id, owner, one) for one in answer["pending_operations"]]
    corrections = [Correction(*(one.get(field) for field in Correction._fields)) for one in answer["corrections"]]
    return Restored(found, answer["state"], pending, corrections)
