"""When a process receives the signal to stop, it ends its streams at once, and its server stops as before."""

import asyncio
import os
import signal
from collections.abc import Callable, Iterator

import pytest
import uvloop

from memory_project.web.stopping import when_told_to_stop

pytestmark = pytest.mark.pure


@pytest.fixture(autouse=True)
def handlers() -> Iterator[None]:
    """Set back the handlers of this process."""
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("loop", [asyncio.new_event_loop, uvloop.new_event_loop])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_both_the_server_and_the_application_are_told(
    loop: Callable[[], asyncio.AbstractEventLoop], number: signal.Signals
) -> None:
    async def run() -> None:
        server, application = asyncio.Event(), asyncio.Event()
        asyncio.get_running_loop().add_signal_handler(number, server.set)
        when_told_to_stop(application.set)
        os.kill(os.getpid(), number)
        async with asyncio.timeout(60):
            await server.wait()
            await application.wait()

    with asyncio.Runner(loop_factory=loop) as runner:
        runner.run(run())
