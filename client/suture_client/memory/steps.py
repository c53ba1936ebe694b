"""The logic of a method as steps: calls of the API to make, and the answers that they get.

Steps send nothing and do not wait. `Memory` runs them with a blocking connection, `AsyncMemory` with asyncio.
"""

from collections.abc import Generator
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from suture_client.errors import Failed
from suture_client.http import Call

T = TypeVar("T")

#: An answer of the API.
Answer = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Pause:
    """Wait, in seconds. The answer is empty."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Open:
    """Open a streamed answer, instead of the one before. The answer is empty."""

    call: Call


@dataclass(frozen=True, slots=True)
class NextLine:
    """Wait for the next line of the open stream. The answer is {"line": ...}; None at its end."""


@dataclass(frozen=True, slots=True)
class Item(Generic[T]):
    """An item of an iteration. The answer is empty."""

    value: T


#: Yields what to do next, gets the answer, and returns the result of the method.
Steps = Generator[Call | Pause, Answer, T]
#: The steps of an iteration, which also yield its items.
Iteration = Generator[Call | Pause | Open | NextLine | Item[T], Answer, None]


def pages(call: Call) -> Iteration[Answer]:
    """Iterate over all pages of a list."""
    while True:
        page = yield call
        for one in page["results"]:
            yield Item(one)
        if page["next"] is None:
            return
        call = replace(call, parameters={**call.parameters, "cursor": page["next"]})


def following(
    steps: Iteration[T], answer: Any, failed: Failed | None
) -> Call | Pause | Open | NextLine | Item[T] | None:
    """The step after an answer, or after a failure; None at the end. Raises what the steps raise."""
    try:
        return steps.send(answer) if failed is None else steps.throw(failed)
    except StopIteration:
        return None
