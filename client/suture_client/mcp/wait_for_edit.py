"""`wait_for_edit`: polls the edit and reports progress to the client, so that no request waits in the server."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from mcp.types import Tool

from suture_client.http import AsyncApi

TOOL = "wait_for_edit"

#: Reports the progress of a call: (done, total, message).
Report = Callable[[float, float, str], Awaitable[None]]

_SECONDS = ("timeout_seconds", "timeoutSeconds")
_MAX_SECONDS, _DEFAULT_SECONDS = 30, 20
#: Seconds between two polls of an edit.
_PAUSE = 1.0
#: The most calls of this process that may wait at once (others return immediately), and their polls per second in
#: total.
_MAX_WAITING, _POLLS_PER_SECOND = 100, 20


class EditWaiter:
    """The waiting calls of this process."""

    def __init__(self) -> None:
        self._number = 0

    async def wait(self, rest: AsyncApi, tool: Tool, arguments: Mapping[str, Any], report: Report) -> dict[str, Any]:
        """Return the edit when it is decided, or when the time is up. Raises Failed."""
        spelled = [name for name in _SECONDS if arguments.get(name) not in (None, "")]
        given = _number(arguments[spelled[0]]) if spelled else _default_seconds(tool)
        is_valid = type(given) is int and 0 <= given <= _MAX_SECONDS
        if len(spelled) > 1 or not is_valid:
            return await rest.post(f"tools/{TOOL}", arguments)  # the API refuses it
        look = {**arguments, (spelled[0] if spelled else _SECONDS[0]): 0}
        seconds = given if self._number < _MAX_WAITING else 0
        self._number += 1
        try:
            return await self._poll(rest, look, seconds, report)
        finally:
            self._number -= 1

    async def _poll(self, rest: AsyncApi, look: Mapping[str, Any], seconds: int, report: Report) -> dict[str, Any]:
        started = time.monotonic()
        while True:
            answer = await rest.post(f"tools/{TOOL}", look)
            waited = min(time.monotonic() - started, seconds)
            await report(waited, seconds, f"The edit is {answer.get('status', 'pending')}.")
            if answer.get("is_decided") or waited >= seconds:
                return answer
            pause = max(_PAUSE, self._number / _POLLS_PER_SECOND)
            await asyncio.sleep(min(pause, seconds - waited))


def _number(given: Any) -> Any:
    """A whole number that was written as a text or with a decimal point, as the API reads it; else `given`."""
    if isinstance(given, str) and given.isascii() and given.strip().isdigit() and len(given) < 10:
        return int(given)
    return int(given) if isinstance(given, float) and given.is_integer() else given


def _default_seconds(tool: Tool) -> int:
    declared = tool.input_schema.get("properties", {}).get(_SECONDS[0], {}).get("default")
    return declared if isinstance(declared, int) else _DEFAULT_SECONDS
