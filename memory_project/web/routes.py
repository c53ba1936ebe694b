"""Which application answers a request: the probes, /mcp, or Django."""

from contextlib import AsyncExitStack

from memory_project.web import mcp, probes, siblings
from memory_project.web.answers import Send
from memory_project.web.bodies import Receive
from memory_project.web.bridge import Bridge, Scope
from memory_project.web.lately import Lately


class Routes:
    """The ASGI application of a process of the web server."""

    def __init__(
        self, django: Bridge, endpoint: mcp.MCPEndpoint, probed: probes.Probes, lately: Lately | None = None
    ) -> None:
        self._django = django
        self._lately = lately or Lately()
        self._mcp = endpoint
        self._probes = probed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or run from the start of the process to its end."""
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
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(self._mcp.running())
            await stack.enter_async_context(siblings.watched(self._lately))
            await send({"type": "lifespan.startup.complete"})
            await receive()
        await send({"type": "lifespan.shutdown.complete"})
