"""Processes of the web server that say who they are, and look after each other as those of the product do."""

import os
import time
from typing import Any

from memory_project.web import siblings
from memory_project.web.answers import Send
from memory_project.web.bodies import Receive
from memory_project.web.lately import Lately

# as the product loads its models
time.sleep(2)

_lately = Lately(b"of these processes")


async def application(scope: dict[str, Any], receive: Receive, send: Send) -> None:
    """Answer with the number of the process, and whether it knows that another caller than the path has come. A POST
    comes from the caller whom the path names."""
    if scope["type"] == "lifespan":
        await receive()
        async with siblings.watched(_lately):
            await send({"type": "lifespan.startup.complete"})
            await receive()
        await send({"type": "lifespan.shutdown.complete"})
        return
    if scope["method"] == "POST":
        _lately.note(scope["path"])
    said = f"{os.getpid()} {_lately.has_others(scope['path']):d}".encode()
    headers = [(b"content-length", str(len(said)).encode()), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": said, "more_body": False})
