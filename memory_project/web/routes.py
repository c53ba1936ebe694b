"""Routes a request to the probes, /mcp, or Django."""

import asyncio
from pathlib import Path

from memory_project.web import heartbeat, mcp, probes, stopping
from memory_project.web.bridge import Bridge, Scope
from memory_project.web.request_bodies import Receive
from memory_project.web.response_streams import Send


class Routes:
    """The ASGI application of a web process, which writes heartbeats into the directory `signs`."""

    def __init__(self, django: Bridge, endpoint: mcp.MCPEndpoint, probed: probes.Probes, *, signs: Path) -> None:
        self._django = django
        self._signs = signs
        self._mcp = endpoint
        self._probes = probed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or handle the lifespan of the process."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "http" and scope["path"] in probes.PATHS:
            await self._probes(scope, receive, send)
        elif scope["type"] == "http" and scope["path"] in mcp.PATHS:
            await self._mcp(scope, receive, send)
        else:
            await self._django(scope, receive, send)

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        shown = asyncio.create_task(heartbeat.show(self._signs))
        stopping.when_told_to_stop(self._stop)
        async with self._mcp.running():
            await send({"type": "lifespan.startup.complete"})
            await receive()
        shown.cancel()
        await send({"type": "lifespan.shutdown.complete"})

    def _stop(self) -> None:
        self._mcp.end_streams()
        self._django.end_waiting()
