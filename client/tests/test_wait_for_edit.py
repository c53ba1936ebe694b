"""Limits of waiting calls and of their polls."""

import asyncio
import time
from typing import Any, cast

import pytest
from mcp.types import Tool

from suture_client.http import AsyncApi
from suture_client.mcp import wait_for_edit

pytestmark = pytest.mark.pure

TOOL = Tool(name=wait_for_edit.TOOL, input_schema={"type": "object", "properties": {"timeout_seconds": {"default": 1}}})


class Undecided:
    """An API where no edit is ever decided. It counts the polls."""

    def __init__(self) -> None:
        self.looks = 0

    async def post(self, path: str, body: Any) -> dict[str, Any]:
        self.looks += 1
        return {"status": "pending", "is_decided": False}


async def report(done: float, total: float, message: str) -> None:
    """Ignore the report."""


def test_those_beyond_the_most_are_answered_at_once() -> None:
    api = Undecided()
    calls = wait_for_edit.EditWaiter()

    async def all_at_once() -> None:
        waiting = (calls.wait(cast(AsyncApi, api), TOOL, {"edit_id": str(number)}, report) for number in range(150))
        await asyncio.gather(*waiting)

    asyncio.run(all_at_once())
    # Each of the hundred that waited looked at the beginning and at the end only, the others once.
    assert api.looks == 250


def test_a_call_that_is_cancelled_gives_its_place_back() -> None:
    calls = wait_for_edit.EditWaiter()

    async def run() -> None:
        for _ in range(150):
            task = asyncio.create_task(calls.wait(cast(AsyncApi, Undecided()), TOOL, {}, report))
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        started = time.monotonic()
        await calls.wait(cast(AsyncApi, Undecided()), TOOL, {}, report)
        assert time.monotonic() - started >= 0.9

    asyncio.run(run())


@pytest.mark.parametrize("seconds", ["0", 0, 0.0, " 0 "])
def test_the_seconds_are_read_as_models_write_them(seconds: Any) -> None:
    api = Undecided()
    arguments = {"timeout_seconds": seconds, "timeoutSeconds": None}
    answer = asyncio.run(wait_for_edit.EditWaiter().wait(cast(AsyncApi, api), TOOL, arguments, report))
    assert (answer["is_decided"], api.looks) == (False, 1)


def test_without_a_number_it_waits_for_the_default() -> None:
    for nothing in (None, ""):
        api = Undecided()
        arguments = {"timeout_seconds": nothing}
        asyncio.run(wait_for_edit.EditWaiter().wait(cast(AsyncApi, api), TOOL, arguments, report))
        assert api.looks == 2
