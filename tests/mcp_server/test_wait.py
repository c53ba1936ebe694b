"""Waiting for an edit over MCP: progress meanwhile, and an end when the client cancels."""

import time

import anyio
import pytest

from tests.mcp_server.serving import WAYS, Serving

pytestmark = [pytest.mark.slow, pytest.mark.stack, pytest.mark.anyio]

ROUTE = "/api/v1/tools/wait_for_edit"


def propose(serving: Serving) -> str:
    """The id of an edit that waits for a person."""
    chunk = serving.record("Said in confidence")
    edit = {"target_type": "chunk", "target_id": chunk, "op": "quarantine", "reason": "asked to"}
    proposed = serving.ask("POST", "edits", edit)
    assert proposed["status"] == "pending"
    edit_id: str = proposed["edit_id"]
    return edit_id


@pytest.mark.parametrize("way", ["http auto", "stdio legacy"])
async def test_it_reports_progress_until_the_edit_is_decided(serving: Serving, way: str) -> None:
    edit = propose(serving)
    reports: list[tuple[float, float | None, str | None]] = []

    async def report(progress: float, total: float | None, message: str | None) -> None:
        reports.append((progress, total, message))
        if len(reports) == 2:
            approve = {"reason": "yes"}
            await anyio.to_thread.run_sync(
                lambda: serving.ask("POST", f"edits/{edit}/approve", approve, key=serving.bob)
            )

    async with serving.connected(way) as client:
        await client.list_tools()
        started = time.monotonic()
        result = await client.call_tool(
            "wait_for_edit", {"edit_id": edit, "timeout_seconds": 25}, progress_callback=report
        )
    assert time.monotonic() - started < 20
    assert result.structured_content["status"] == "approved"
    assert result.structured_content["is_decided"] is True
    assert len(reports) >= 2
    assert {total for _, total, _ in reports} == {25}
    assert [done for done, _, _ in reports] == sorted({done for done, _, _ in reports})
    assert "pending" in (reports[0][2] or "")


async def test_it_ends_when_the_time_is_up(serving: Serving) -> None:
    edit = propose(serving)
    async with serving.connected() as client:
        started = time.monotonic()
        result = await client.call_tool("wait_for_edit", {"edit_id": edit, "timeout_seconds": 2})
        assert 1.9 < time.monotonic() - started < 10
        assert result.structured_content["status"] == "pending"
        assert result.structured_content["is_decided"] is False
        at_once = await client.call_tool("wait_for_edit", {"edit_id": edit, "timeout_seconds": 0})
        assert at_once.structured_content["is_decided"] is False


WRONG: list[tuple[dict[str, object], str]] = [
    ({"timeout_seconds": 31}, "#/timeout_seconds"),
    ({"timeout_seconds": "soon"}, "#/timeout_seconds"),
    ({"timeoutSeconds": -1}, "#/timeoutSeconds"),
    ({"timeout_seconds": 1, "timeoutSeconds": 2}, "#/timeout"),
    ({"edit_id": "not an id"}, "#/edit_id"),
]


async def test_a_wrong_argument_is_refused_at_once(serving: Serving) -> None:
    async with serving.connected() as client:
        for arguments, pointer in WRONG:
            edit = {"edit_id": "0198c0de-0000-7000-8000-000000000001"}
            result = await client.call_tool("wait_for_edit", {**edit, **arguments})
            assert result.is_error, arguments
            assert pointer in str(result.structured_content["errors"]), arguments


@pytest.mark.parametrize("way", WAYS)
async def test_the_client_can_cancel_it(serving: Serving, way: str) -> None:
    """The polling then stops, even if another process receives the cancellation over HTTP."""
    edit = propose(serving)
    async with serving.connected(way) as client:
        await client.list_tools()
        with anyio.move_on_after(2.5) as scope:
            await client.call_tool("wait_for_edit", {"edit_id": edit, "timeout_seconds": 30})
        assert scope.cancelled_caught
        await anyio.sleep(1.5)
        asked = serving.requests(ROUTE)
        await anyio.sleep(3)
        assert serving.requests(ROUTE) == asked
        # the connection is as good as before
        assert (await client.list_tools()).tools


async def test_calls_that_wait_hold_nothing(serving: Serving) -> None:
    """Three processes of one thread each, and twelve calls that wait."""
    edit = propose(serving)

    async def wait() -> None:
        async with serving.connected() as client:
            result = await client.call_tool("wait_for_edit", {"edit_id": edit, "timeout_seconds": 8})
            assert not result.is_error

    async with anyio.create_task_group() as tasks:
        for _ in range(12):
            tasks.start_soon(wait)
        await anyio.sleep(3)
        for _ in range(6):
            started = time.monotonic()
            await anyio.to_thread.run_sync(lambda: serving.ask("GET", "events?limit=1"))
            assert time.monotonic() - started < 3
