"""What the API is compared with: a bare asyncpg caller of the same gate functions, behind the same web server.

`granian bench.floor:application --interface asgi`. A request is one transaction: the key is authenticated, one function
is called, and its rows are written as JSON. There is no validation, no OpenAPI, no pagination, no throttle, no request
log and no access tracking. The statements are prepared, as asyncpg prepares all of them.
"""

import hashlib
import os
import uuid
from decimal import Decimal
from typing import Any

import asyncpg
import orjson
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from governance.database.calls import Function, sql_name
from memory.reading import calls

#: Database connections of one worker.
CONNECTIONS = 4
_HIDDEN = frozenset({"total_count", "ranking", "following", "snippet", "scale", "lent", "unknown", "center_ts"})

_pool: asyncpg.Pool | None = None


async def _connections() -> asyncpg.Pool:
    global _pool
    if _pool is None:
        _pool = await asyncpg.create_pool(os.environ["DATABASE_URL"], min_size=1, max_size=CONNECTIONS)
    return _pool


def statement(function: Function[..., Any], places: dict[str, int], **fixed: str) -> str:
    """The call of a declared function, with `$n` for the parameters in `places`, and SQL for `fixed` ones. Every other
    one has its default: NULL, or false where the declaration says bool."""

    def value(name: str, declared: Any) -> str:
        if name in places:
            return f"${places[name]}"
        return fixed.get(name) or ("false" if declared is bool else "NULL")

    values = ", ".join(f"{sql_name(name)} => {value(name, declared)}" for name, declared in function.parameters.items())
    columns = ", ".join(f'"{name}"' for name in function.fields)
    return f"SELECT {columns} FROM {function.name}({values})"


_AUTHENTICATE = "SELECT tenant_id, channels, refusal FROM authenticate($1)"
_HEARD = {"tenant": 1, "listening": 2, "channels": 2}
_SEARCH = statement(calls.search_chunks, {**_HEARD, "query": 3, "limit": 4}, mode="'keyword'", collapse="true")
_LIST = statement(calls.list_chunks, {**_HEARD, "subject_type": 3, "subject_id": 4, "limit": 5})
_GET = statement(calls.get_chunks, {**_HEARD, "ids": 3})
_TIMELINE = statement(calls.get_timeline, {**_HEARD, "around": 3, "window_seconds": 4, "limit": 5})


async def _answer(request: Request, query: str, *values: Any) -> Response:
    digest = hashlib.sha256(request.headers["authorization"].removeprefix("Bearer ").encode()).digest()
    pool = await _connections()
    async with pool.acquire() as connection, connection.transaction():
        owner = await connection.fetchrow(_AUTHENTICATE, digest)
        if owner["refusal"]:
            return Response(b"{}", 401)
        found = await connection.fetch(query, owner["tenant_id"], owner["channels"], *values)
    chunks = [{name: value for name, value in row.items() if name not in _HIDDEN} for row in found]
    return Response(orjson.dumps({"chunks": chunks}, default=_plain), media_type="application/json")


def _plain(value: Any) -> Any:
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, uuid.UUID):  # asyncpg's own kind
        return str(value)
    raise TypeError(type(value))


async def _search(request: Request) -> Response:
    body = orjson.loads(await request.body())
    return await _answer(request, _SEARCH, body["query"], body["limit"])


async def _list(request: Request) -> Response:
    asked = request.query_params
    return await _answer(request, _LIST, asked["subject_type"], asked["subject_id"], int(asked["limit"]) + 1)


async def _get(request: Request) -> Response:
    return await _answer(request, _GET, orjson.loads(await request.body())["chunk_ids"])


async def _timeline(request: Request) -> Response:
    asked = request.query_params
    around = request.path_params["chunk_id"]
    return await _answer(request, _TIMELINE, around, int(asked["window_seconds"]), int(asked["limit"]) + 1)


async def _healthy(request: Request) -> Response:
    return Response(b"{}")


application = Starlette(
    routes=[
        Route("/", _healthy),
        Route("/api/v1/chunks/search", _search, methods=["POST"]),
        Route("/api/v1/chunks", _list),
        Route("/api/v1/chunks/get", _get, methods=["POST"]),
        Route("/api/v1/chunks/{chunk_id}/timeline", _timeline),
    ]
)
