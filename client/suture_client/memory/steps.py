"""The logic of a method as steps: calls of the API to make, and the answers that they get.

Steps send nothing and do not wait. `Memory` runs them with a blocking connection, `AsyncMemory` with asyncio.
"""

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, TypeVar

from suture_client.http import Call

T = TypeVar("T")

#: An answer of the API.
Answer = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Pause:
    """Wait, in seconds."""

    seconds: float


#: Yields what to do next, gets the answer (of a pause: none), and returns the result of the method.
Steps = Generator[Call | Pause, Answer, T]


def one(call: Call) -> Steps[Answer]:
    """A single call, whose answer is the result."""
    answer = yield call
    return answer
