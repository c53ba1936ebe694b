"""Cancellation of MCP requests: the notification may reach another process than the request."""

import hashlib
import json
import logging

from redis import RedisError
from redis.asyncio import Redis

logger = logging.getLogger("suture.web")

#: Seconds that a cancellation is stored: longer than any request takes.
_KEPT = 60


class Cancellations:
    """Cancelled requests, shared by all processes through Redis. While Redis is down, nothing is cancelled and requests
    run to their end."""

    def __init__(self, url: str) -> None:
        self._redis = Redis.from_url(url, socket_timeout=2, socket_connect_timeout=2)

    async def cancel(self, caller: str, session: str, request_id: object) -> None:
        """Cancel a request of the session. `caller` is the credential: nobody can cancel another caller's request."""
        try:
            await self._redis.set(_name(caller, session, request_id), 1, ex=_KEPT)
        except RedisError:
            logger.warning("could not store a cancellation: Redis is not available")

    async def is_cancelled(self, caller: str, session: str, request_id: object) -> bool:
        """Whether the client cancelled the request."""
        try:
            return bool(await self._redis.exists(_name(caller, session, request_id)))
        except RedisError:
            return False

    async def close(self) -> None:
        """Close the connections."""
        await self._redis.aclose()


def _name(caller: str, session: str, request_id: object) -> str:
    digest = hashlib.sha256("\0".join((caller, session, json.dumps(request_id))).encode()).hexdigest()
    return f"suture:mcp:cancelled:{digest}"
