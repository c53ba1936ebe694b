"""Refusals that the event loop sends without a thread."""

import html
import json
import math
from dataclasses import dataclass
from http import HTTPStatus

from prometheus_client import Counter

from memory_project.web.response_streams import Headers, Send

_PROBLEM = "application/problem+json"
REFUSED = Counter("suture_requests_refused", "Requests that a limit refused.", ["limit"])
for _limit in ("key", "address", "wrong-keys", "logins", "turns"):
    REFUSED.labels(_limit)  # 0 from the start


@dataclass(frozen=True, slots=True)
class Refused(Exception):  # noqa: N818 (an answer, not an error)
    """A limit refuses the request for `wait` seconds."""

    status: HTTPStatus
    code: str
    title: str
    detail: str
    limit: str
    wait: float

    @property
    def retry_after(self) -> int:
        """CompleteResponse seconds, at least one."""
        return max(1, math.ceil(self.wait))


async def refuse(refused: Refused, path: str, send: Send, headers: Headers = [], *, ends: bool = False) -> None:  # noqa: B006 (only read)
    """Answer with problem details (RFC 9457), or with a page for pages of the admin. `ends` closes the connection,
    because the body has not been read."""
    REFUSED.labels(refused.limit).inc()
    if path.startswith("/admin"):
        kind, content = "text/html; charset=utf-8", _page(refused)
    else:
        kind = _PROBLEM
        content = problem(refused.status, refused.code, refused.title, refused.detail, path)
    own = [
        (b"content-type", kind.encode()),
        (b"content-length", str(len(content)).encode()),
        (b"retry-after", str(refused.retry_after).encode()),
        (b"x-content-type-options", b"nosniff"),
        *([(b"connection", b"close")] if ends else []),
    ]
    await send({"type": "http.response.start", "status": int(refused.status), "headers": [*own, *headers]})
    await send({"type": "http.response.body", "body": content, "more_body": False})


def problem(status: HTTPStatus, code: str, title: str, detail: str, path: str) -> bytes:
    """Problem details (RFC 9457) for a request to `path`."""
    shown = {
        "type": f"urn:suture:problem:{code}",
        "code": code,
        "title": title,
        "status": int(status),
        "detail": detail,
        "instance": path,
        "request_id": None,  # it has not reached what the log names
    }
    return json.dumps(shown).encode()


def _page(refused: Refused) -> bytes:
    title, detail = html.escape(refused.title), html.escape(refused.detail)
    return f'<!doctype html><html lang="en"><title>{title}</title><h1>{title}</h1><p>{detail}</p></html>'.encode()
