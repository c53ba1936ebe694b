"""The state of a run, encoded as JSON at once, so that later changes by the run do not affect it."""

import json
from collections.abc import Mapping
from typing import Any, TypedDict

from suture_client.checkpointing import plain_json
from suture_client.checkpointing.values import NOT_IN_JSON, name_of_type
from suture_client.checkpointing.variables import LeftOut, capture_variables

#: Characters of an exception's message that are stored.
_MESSAGE = 10_000


class State(TypedDict, total=False):
    """The state for a turn or a checkpoint. All fields are optional, and all except `variables` are JSON."""

    #: Such as `globals()`. Replaces `repl_state`.
    variables: Mapping[str, Any]
    repl_state: dict[str, Any]
    working_memory: Any
    #: In addition to those that `pending()` started.
    pending_operations: list[dict[str, Any]]
    trajectory_events: list[Any]
    #: 0 or more, in a unit of your choice.
    cost_so_far: float
    messages: list[Any]
    metadata: dict[str, Any]


class Snapshot:
    """A copy of a state: the JSON of each field."""

    def __init__(self, state: Mapping[str, Any]) -> None:
        """Raises NotJson with the path of a value that is not JSON, ValueError for an unknown field."""
        if unknown := sorted(set(state) - set(State.__annotations__)):
            raise ValueError(
                f"Unknown fields of a state: {', '.join(unknown)}. The fields are {', '.join(State.__annotations__)}."
            )
        if "variables" in state and "repl_state" in state:
            raise ValueError("Pass either variables or repl_state: variables become the repl_state.")
        given = dict(state)
        #: The variables that could not be stored.
        self.left_out: list[LeftOut] = []
        if "variables" in given:
            captured = capture_variables(given.pop("variables"))
            self.left_out = [LeftOut(**one) for one in captured["left_out"]]
            # It is already JSON.
            self._fields = {"repl_state": json.dumps(captured, ensure_ascii=False, separators=(",", ":"))}
        else:
            self._fields = {}
        operations = given.pop("pending_operations", None)
        self._has_operations = operations is not None
        self._operations: list[Any] = json.loads(plain_json.json_of(operations or [], "pending_operations"))
        self._fields.update((name, plain_json.json_of(value, name)) for name, value in given.items())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Snapshot) and (self._fields, self._operations) == (other._fields, other._operations)

    __hash__ = None  # type: ignore[assignment] # compared, but never hashed

    def members(self, pending: Mapping[str, Mapping[str, Any]], error: BaseException | None = None) -> dict[str, str]:
        """Return the JSON of each field, with the pending operations (by id) and the exception."""
        members = dict(self._fields)
        operations = [one for one in self._operations if not (isinstance(one, dict) and one.get("id") in pending)]
        if pending or self._has_operations:
            members["pending_operations"] = plain_json.json_of([*operations, *pending.values()], "pending_operations")
        if error is not None:
            metadata = json.loads(members.get("metadata", "{}"))
            members["metadata"] = plain_json.json_of({**metadata, "exception": _described(error)}, "metadata")
        return members


def _described(error: BaseException) -> dict[str, str]:
    try:
        message = str(error)
    except Exception as failed:
        message = f"(no message: str() raised {name_of_type(failed)})"
    return {
        "type": name_of_type(error),
        "message": NOT_IN_JSON.sub("\N{REPLACEMENT CHARACTER}", message[:_MESSAGE]),
    }
