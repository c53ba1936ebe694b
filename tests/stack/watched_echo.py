"""Processes of the web server that say who they are, and show that they go on as those of the product do."""

import asyncio
import os
import time
from typing import Any

from memory_project import environment
from memory_project.web import heartbeat
from memory_project.web.request_bodies import Receive
from memory_project.web.response_streams import Send

# as the product loads its models
time.sleep(2)


async def application(scope: dict[str, Any], receive: Receive, send: Send) -> None:
    """Answer with the number of the process."""
    if scope["type"] == "lifespan":
        await receive()
        shown = asyncio.create_task(heartbeat.show(environment.HOME / environment.ALIVE))
        await send({"type": "lifespan.startup.complete"})
        await receive()
        shown.cancel()
        await send({"type": "lifespan.shutdown.complete"})
        return
    said = str(os.getpid()).encode()
    headers = [(b"content-length", str(len(said)).encode()), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": said, "more_body": False})
