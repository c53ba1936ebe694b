"""Rate limits on requests, before any of them takes a thread (docs/decisions/0048-rate-limits.md)."""

import hashlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from http import HTTPStatus
from typing import Any

from redis import RedisError

from memory_project.web import probes
from memory_project.web.callers import Caller, Network, address_of, caller_of, counted_as
from memory_project.web.rate_limits import Limit, Rate, Shared, Taken
from memory_project.web.refusals import Refused, refuse
from memory_project.web.request_bodies import Message, Receive
from memory_project.web.response_streams import Headers, Send

Application = Callable[[dict[str, Any], Receive, Send], Awaitable[None]]

#: Seconds for which a valid key is exempt from the limit of wrong keys at its address.
_KNOWN_SECONDS = 86_400


class RateLimiter:
    """An ASGI application in front of another: it refuses requests over a limit with 429, and adds headers with the
    remaining allowance to each response.

    Requests with a key that this process has looked up before are counted by key, all others by address. An address
    with too many wrong keys is refused, except for known keys. `logins` are the paths of pages that check a password or
    a code.
    """

    def __init__(
        self,
        application: Application,
        *,
        redis_url: str,
        rates: Mapping[str, tuple[int, int] | None],
        logins: frozenset[str],
        trusted: Sequence[Network],
    ) -> None:
        self._application = application
        self._logins, self._trusted = logins, trusted
        self._shared = Shared(redis_url)
        self._of_keys = self._limit("key", rates, in_advance=True)
        self._of_addresses = self._limit("address", rates)
        self._of_wrong_keys = self._limit("wrong-keys", rates)
        self._of_logins = self._limit("logins", rates)

    def _limit(
        self, name: str, rates: Mapping[str, tuple[int, int] | None], *, in_advance: bool = False
    ) -> Limit | None:
        rate = rates[name]
        return None if rate is None else Limit(self._shared, name, Rate(*rate), in_advance=in_advance)

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        """Answer a request, or handle the lifespan of the process."""
        if scope["type"] != "http" or scope["path"] in probes.PATHS:
            await self._application(scope, receive, send)
            if scope["type"] == "lifespan":
                await self._shared.client.aclose()
            return
        shown = {name: value for name, value in scope["headers"] if name in _READ}
        # repeated headers form one list
        forwarded = b",".join(value for name, value in scope["headers"] if name == b"x-forwarded-for")
        caller = caller_of(shown.get(b"authorization", b""))
        address = address_of(scope, forwarded, self._trusted)
        counted = counted_as(address)
        try:
            headers = await self._taken(scope, caller, counted)
        except Refused as refused:
            ends = shown.get(b"content-length", b"0") != b"0" or b"transfer-encoding" in shown
            await refuse(refused, scope["path"], send, ends=ends)
            return
        client = (address, (scope.get("client") or ("", 0))[1])

        async def send_limited(message: Message) -> None:
            if message["type"] == "http.response.start":
                if caller.digest is not None:
                    await self._note(caller, counted, message["status"])
                message = {**message, "headers": [*message["headers"], *headers]}
            await send(message)

        await self._application({**scope, "client": client}, receive, send_limited)

    async def _taken(self, scope: Mapping[str, Any], caller: Caller, address: str) -> Headers:
        """Count the request and return the headers for its response. Raises Refused."""
        if caller.digest is not None and not caller.is_known and self._of_wrong_keys is not None:
            wait = self._of_wrong_keys.wait(address)
            if wait and not await self._is_known(caller.digest):
                raise _too_many(self._of_wrong_keys, wait)
        if self._of_logins is not None and scope["method"] == "POST" and scope["path"] in self._logins:
            _require(self._of_logins, await self._of_logins.take(address))
        if caller.digest is not None and caller.is_known:
            limit, who = self._of_keys, caller.digest.hex()
        else:
            limit, who = self._of_addresses, address
        if limit is None:
            return []
        taken = await limit.take(who)
        _require(limit, taken)
        return _headers(limit, taken)

    async def _note(self, caller: Caller, address: str, status: int) -> None:
        """Count a wrong key, and store a valid one that was new to this process for the other processes."""
        is_wrong = status == HTTPStatus.UNAUTHORIZED
        if is_wrong and self._of_wrong_keys is not None:
            await self._of_wrong_keys.take(address)
        if not caller.digest or is_wrong != caller.is_known or self._shared.is_away:
            return
        with suppress(RedisError, OSError):
            if is_wrong:
                await self._shared.client.delete(_name(caller.digest))
            elif status < HTTPStatus.BAD_REQUEST:
                await self._shared.client.set(_name(caller.digest), 1, ex=_KNOWN_SECONDS)

    async def _is_known(self, digest: bytes) -> bool:
        """Whether another process has found the key valid within the last day."""
        if not digest or self._shared.is_away:
            return False
        try:
            return bool(await self._shared.client.exists(_name(digest)))
        except (RedisError, OSError) as error:
            self._shared.note_failure(error)
            return False


_READ = frozenset({b"authorization", b"content-length", b"transfer-encoding"})


def _name(digest: bytes) -> str:
    """The Redis key for a valid API key, which does not reveal it."""
    return f"suture:rate:known:{hashlib.sha256(digest).hexdigest()}"


def _require(limit: Limit, taken: Taken) -> None:
    if not taken.is_taken:
        raise _too_many(limit, taken.seconds)


_WHAT = {
    "key": "requests with this key",
    "address": "requests from this address without a known key",
    "wrong-keys": "wrong keys from this address",
    "logins": "login attempts from this address",
}


def _too_many(limit: Limit, wait: float) -> Refused:
    rate = limit.rate
    return Refused(
        HTTPStatus.TOO_MANY_REQUESTS,
        "too-many-requests",
        "Too many requests",
        f"There were more than {rate.number:,} {_WHAT[limit.name]} in {rate.seconds:,} s."
        f" Retry in {max(1, round(wait))} s.",
        limit.name,
        wait,
    )


def _headers(limit: Limit, taken: Taken) -> Headers:
    """Headers with the remaining allowance, as in the IETF draft draft-ietf-httpapi-ratelimit-headers."""
    rate = limit.rate
    return [
        (b"ratelimit-policy", f'"{limit.name}";q={rate.number};w={rate.seconds}'.encode()),
        (b"ratelimit", f'"{limit.name}";r={taken.left};t={round(taken.seconds)}'.encode()),
    ]
