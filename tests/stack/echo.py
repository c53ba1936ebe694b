"""A small application behind the bridge, as the web server runs Django: for tests of the server alone."""

import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from memory_project.web.bridge import Bridge
from memory_project.web.request_bodies import Limits

#: How many pieces of 64 KiB the answer to /many has: more than the system's buffers take.
PIECES = 500


class Whole(list[bytes]):
    """An answer that is there whole, as Django's are that are not streamed."""

    streaming = False


def _many() -> Iterator[bytes]:
    for _ in range(PIECES):
        yield b"x" * 65_536


def _failing() -> Iterator[bytes]:
    yield b"the beginning"
    raise RuntimeError


def echo(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    """Say how much came, in which environment."""
    body = environ["wsgi.input"].read()
    start_response("200 OK", [("Content-Type", "text/plain")])
    path = environ["PATH_INFO"]
    if path == "/many":
        return _many()
    if path == "/failing":
        return _failing()
    if path == "/slow":
        time.sleep(1)
    length, query = environ["CONTENT_LENGTH"], environ["QUERY_STRING"]
    chunked = "HTTP_TRANSFER_ENCODING" in environ
    spoofed = environ.get("HTTP_X_REAL_IP", "")
    return Whole([f"{len(body)} {length} {chunked} {path.encode('latin-1')!r} {query} {spoofed}".encode()])


application = Bridge(
    echo, threads=2, limits=Limits(body=2_000_000, small_paths=frozenset({"/login"}), session_cookie="sessionid")
)
