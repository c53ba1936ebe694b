"""The state of a run, kept as JSON from the moment it is given: what the run changes afterwards does not change it."""

import json
from collections.abc import Mapping
from typing import Any, TypedDict

from suture_client.checkpointing import plain
from suture_client.checkpointing.values import NOT_CARRIED, name_of_type
from suture_client.checkpointing.variables import LeftOut, capture_variables

#: Characters of an exception's message that are kept.
_MESSAGE = 10_000


class State(TypedDict, total=False):
    """What a turn or a checkpoint may be given. All of it is optional, and all but `variables` is JSON."""

    #: Such as `globals()`. Takes the place of `repl_state`.
    variables: Mapping[str, Any]
    repl_state: dict[str, Any]
    working_memory: Any
    #: Beside those that `pending()` began.
    pending_operations: list[dict[str, Any]]
    trajectory_events: list[Any]
    #: 0 or more, in a unit of your own.
    cost_so_far: float
    messages: list[Any]
    metadata: dict[str, Any]


class Snapshot:
    """A state as it was when it was given: the JSON of each field."""

    def __init__(self, state: Mapping[str, Any]) -> None:
        """Raises NotJson with the place of what is no JSON, ValueError for a field that there is not."""
        if unknown := sorted(set(state) - set(State.__annotations__)):
            raise ValueError(f"A state has no {', '.join(unknown)}; it has {', '.join(State.__annotations__)}.")
        if "variables" in state and "repl_state" in state:
            raise ValueError("Give variables or repl_state: variables become the repl_state.")
        given = dict(state)
        #: The variables that are not in it.
        self.left_out: list[LeftOut] = []
        if "variables" in given:
            captured = capture_variables(given.pop("variables"))
            self.left_out = [LeftOut(**one) for one in captured["left_out"]]
            # It is JSON already.
            self._fields = {"repl_state": json.dumps(captured, ensure_ascii=False, separators=(",", ":"))}
        else:
            self._fields = {}
        operations = given.pop("pending_operations", None)
        self._has_operations = operations is not None
        self._operations: list[Any] = json.loads(plain.json_of(operations or [], "pending_operations"))
        self._fields.update((name, plain.json_of(value, name)) for name, value in given.items())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Snapshot) and (self._fields, self._operations) == (other._fields, other._operations)

    __hash__ = None  # type: ignore[assignment] # it is compared, and kept in no set

    def members(self, pending: Mapping[str, Mapping[str, Any]], error: BaseException | None = None) -> dict[str, str]:
        """The JSON of each field, with the operations that are pending, by id, and what failed."""
        members = dict(self._fields)
        operations = [one for one in self._operations if not (isinstance(one, dict) and one.get("id") in pending)]
        if pending or self._has_operations:
            members["pending_operations"] = plain.json_of([*operations, *pending.values()], "pending_operations")
        if error is not None:
            metadata = json.loads(members.get("metadata", "{}"))
            members["metadata"] = plain.json_of({**metadata, "exception": _described(error)}, "metadata")
        return members


def _described(error: BaseException) -> dict[str, str]:
    try:
        message = str(error)
    except Exception as failed:
        message = f"(its message cannot be made: {name_of_type(failed)})"
    return {
        "type": name_of_type(error),
        "message": NOT_CARRIED.sub("\N{REPLACEMENT CHARACTER}", message[:_MESSAGE]),
    }
