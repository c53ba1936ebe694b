"""The checkpointer of a run: reports turns, stores the state every few turns and on failure, and resumes."""

import json
import uuid
from collections.abc import Mapping
from types import TracebackType
from typing import Any, NamedTuple, Self, Unpack

from suture_client.checkpointing import plain_json
from suture_client.checkpointing.restoring import Checkpoint, Restored, mark_done, newest, restored
from suture_client.checkpointing.state import Snapshot, State
from suture_client.checkpointing.variables import LeftOut
from suture_client.errors import Away, Failed, Problem
from suture_client.http import TIMEOUT, Api

_BAD_REQUEST, _NOT_FOUND = 400, 404


class Turn(NamedTuple):
    """The result of reporting a turn."""

    number: int
    #: None if no checkpoint was due.
    checkpoint: Checkpoint | None
    next_checkpoint_turn: int
    #: The variables that are not in a checkpoint of this turn.
    left_out: list[LeftOut]


class Pending:
    """An unfinished operation. Every checkpoint lists it until `done()`. A `with` block calls `done()` at its end,
    unless it fails."""

    def __init__(self, run: "Checkpointer", id: str, operation: dict[str, Any], held_by: list[str]) -> None:
        self._run, self._held_by = run, held_by
        self.id = id
        self.operation = operation

    def done(self, note: str | None = None) -> None:
        """Mark the operation as done, also in the checkpoints that list it. Raises Problem, Away."""
        self._run._finish(self, self._held_by, note)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if error is None:
            self.done()


class Checkpointer:
    """Checkpoints the run of an agent, as a context manager.

        with Checkpointer("invoices-2026-11", every=5, resume=True) as run:
            total = run.variables.get("total", 0)
            while run.number < 40:
                total += work()
                run.turn(variables={"total": total})

    The server stores the state every `every` turns, and on an exception that of the last reported turn. It is not
    thread-safe.
    """

    def __init__(
        self,
        session_id: str,
        *,
        every: int | None = None,
        depth: int = 0,
        resume: bool | str = False,
        owner: str | None = None,
        url: str | None = None,
        key: str | None = None,
        timeout: float = TIMEOUT,
    ) -> None:
        """`every`: turns between checkpoints, 1 to 1,000; the server's default is 5. `depth`: the nesting depth of this
        agent, 0 for the main one. `resume`: restore the newest checkpoint if there is one, or the checkpoint with this
        id. `owner`: the agent that owns the session, if another agent shares it with you; by default, only your own is
        used. `timeout`: seconds per request. Raises `Failed` if no server or key is known."""
        self.session_id, self.depth, self._owner = session_id, depth, owner
        #: The last turn that was reported or restored.
        self.number = 0
        #: The checkpoint that `resume` restored; None if there was none.
        self.restored: Restored | None = None
        #: The rebuilt variables of the restored checkpoint.
        self.variables: dict[str, Any] = {}
        self._every, self._resume = every, resume
        self._api = Api(url, key, timeout=timeout)
        self._last: Snapshot | None = None
        self._next: int | None = None
        self._reported: tuple[Turn, Snapshot] | None = None
        self._pending: dict[str, Pending] = {}

    def __enter__(self) -> Self:
        self._api.__enter__()
        if self._resume:
            try:
                self._resume_from(self._own(self._resume) if isinstance(self._resume, str) else self._newest())
            except BaseException:
                self._api.close()
                raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        try:
            has_ended = isinstance(error, SystemExit) and error.code in (None, 0)
            if error is not None and not has_ended and not isinstance(error, GeneratorExit):
                self._keep_failure(error)
        finally:
            self._api.close()

    @property
    def unfinished(self) -> list[Pending]:
        """The unfinished operations: started by this run, or pending in the restored checkpoint."""
        return list(self._pending.values())

    def turn(self, number: int | None = None, **state: Unpack[State]) -> Turn:
        """Report the end of a turn, with the state after it. `number` defaults to the next turn.

        The state is only sent if a checkpoint is due. A failed report may be repeated with the same state. Raises
        NotJson, Problem (409 for a turn that the session has passed), Away, and ValueError for a turn that this run has
        reported with another state.
        """
        number = self.number + 1 if number is None else number
        snapshot = Snapshot(state)
        about = {"turn": number, "depth": self.depth}
        if self._every is not None:
            about["checkpoint_every"] = self._every
        if self._reported and number == self._reported[0].number:
            if snapshot != self._reported[1]:
                raise ValueError(
                    f"Turn {number} was already reported with a different state. The next turn is {number + 1}."
                )
            return self._reported[0]
        if self._next is None or number >= self._next:
            answer = self._report(about, snapshot)
        else:
            try:
                answer = self._report(about, None)
            except Problem as problem:
                # Another process may have changed the interval.
                if problem.status != _BAD_REQUEST:
                    raise
                answer = self._report(about, snapshot)
        self.number, self._next, self._last = answer["turn"], answer["next_checkpoint_turn"], snapshot
        made = answer["checkpoint"]
        turn = Turn(answer["turn"], Checkpoint.read(made) if made else None, self._next, snapshot.left_out)
        self._reported = turn, snapshot
        return turn

    def checkpoint(self, label: str | None = None, *, pin: bool = False, **state: Unpack[State]) -> Checkpoint:
        """Make a checkpoint of the given state, else of the last turn's. A pinned one is never pruned. Raises NotJson,
        Problem, Away, and ValueError if there is no state yet."""
        if state:
            self._last = Snapshot(state)
        if self._last is None:
            raise ValueError("There is no state yet. Pass one, or report a turn first.")
        return self._make(self._last, kind="manual", label=label, is_pinned=pin)

    def pending(self, operation: Mapping[str, Any], *, save: bool = True) -> Pending:
        """Start an operation that must not be lost, such as sending a mail: a JSON object, which gets an `id` if it has
        none. Unless `save` is false, a checkpoint is made that lists it, in case the process is killed. Raises NotJson,
        Problem, Away."""
        given: dict[str, Any] = {"id": uuid.uuid4().hex, **json.loads(plain_json.json_of(dict(operation), "operation"))}
        id = str(given["id"])
        if id in self._pending:
            raise ValueError(f"The operation {id!r} is already pending.")
        begun = self._pending[id] = Pending(self, id, given, [])
        if save:
            try:
                self._make(self._last or Snapshot({}), kind="manual", label=f"pending {id}"[:200])
            except BaseException:
                del self._pending[id]
                raise
        return begun

    def _newest(self) -> str | None:
        try:
            return newest(self._api, self.session_id, self.depth, self._owner)
        except Problem as problem:
            if problem.status != _NOT_FOUND:
                raise
            return None

    def _own(self, checkpoint_id: str) -> str:
        found = Checkpoint.read(self._api.get("checkpoints", checkpoint_id, owner=self._owner))
        if (found.session_id, found.depth) != (self.session_id, self.depth):
            raise ValueError(
                f"The checkpoint belongs to the session {found.session_id!r} at depth {found.depth}, not to "
                f"{self.session_id!r} at depth {self.depth}."
            )
        return found.id

    def _resume_from(self, checkpoint_id: str | None) -> None:
        if checkpoint_id is None:
            return
        self.restored = restored(self._api, checkpoint_id, self._owner)
        self.number = self.restored.checkpoint.turn
        self.variables = self.restored.variables().values
        state = {name: value for name, value in self.restored.state.items() if name in State.__annotations__}
        state["metadata"] = {name: value for name, value in state["metadata"].items() if name != "exception"}
        state["pending_operations"] = []
        self._last = Snapshot(state)
        for one in self.restored.pending:
            if not one.is_done:
                operation = {**one.operation, "id": one.id}
                self._pending[one.id] = Pending(self, one.id, operation, [self.restored.checkpoint.id])

    def _report(self, about: dict[str, int], snapshot: Snapshot | None) -> dict[str, Any]:
        members = {name: json.dumps(value) for name, value in about.items()}
        if snapshot is not None:
            members.update(snapshot.members(self._operations()))
        path = ("sessions", self.session_id, "turn")
        answer = self._api.send("PUT", *path, body=_object(members), owner=self._owner)
        if answer["checkpoint"]:
            self._add_holder(answer["checkpoint"]["id"])
        return answer

    def _make(
        self,
        snapshot: Snapshot,
        error: BaseException | None = None,
        *,
        kind: str,
        label: str | None = None,
        is_pinned: bool = False,
    ) -> Checkpoint:
        about = {"turn": self.number, "depth": self.depth, "kind": kind, "label": label, "is_pinned": is_pinned}
        members = {name: plain_json.json_of(value, name) for name, value in about.items() if value is not None}
        members.update(snapshot.members(self._operations(), error))
        path = ("sessions", self.session_id, "checkpoints")
        made = Checkpoint.read(self._api.send("POST", *path, body=_object(members), owner=self._owner))
        self._add_holder(made.id)
        return made

    def _keep_failure(self, error: BaseException) -> None:
        """Store the last state and the exception. Failures are only added as notes, because `error` is raised."""
        if self._last is None:
            error.add_note("No checkpoint was made, because no turn had been reported.")
            return
        if isinstance(error, Away):
            error.add_note("No checkpoint was made, because the server is unavailable.")
            return
        try:
            made = self._make(self._last, error, kind="exception")
            error.add_note(
                f"Checkpoint {made.id} has the state after turn {made.turn} of the session {made.session_id}."
            )
        except Exception as failed:
            why = str(failed) if isinstance(failed, Failed) else f"{type(failed).__name__}: {failed}"
            error.add_note(f"No checkpoint could be made: {why}")

    def _operations(self) -> dict[str, dict[str, Any]]:
        return {id: one.operation for id, one in self._pending.items()}

    def _add_holder(self, checkpoint_id: str) -> None:
        for one in self._pending.values():
            if checkpoint_id not in one._held_by:
                one._held_by.append(checkpoint_id)

    def _finish(self, pending: Pending, held_by: list[str], note: str | None) -> None:
        for checkpoint_id in held_by:
            try:
                mark_done(self._api, checkpoint_id, self._owner, pending.id, note)
            except Problem as problem:
                # The checkpoint was pruned.
                if problem.status != _NOT_FOUND:
                    raise
        self._pending.pop(pending.id, None)


def _object(members: Mapping[str, str]) -> str:
    return "{" + ",".join(f'"{name}":{value}' for name, value in members.items()) + "}"
