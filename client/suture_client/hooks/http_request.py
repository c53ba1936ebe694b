"""One HTTP request with one deadline for DNS, connecting, sending and receiving.

`http.client` and `socket` would add about 30 ms to every hook, and their timeouts restart with each byte.
"""

import time
from typing import Any, NamedTuple

from suture_client import __version__

try:
    import _socket as sockets
except ImportError:  # an interpreter other than CPython
    import socket as sockets  # type: ignore[no-redef] # replaces _socket, which is missing

#: In bytes.
_MAX_RESPONSE = 8_000_000


class NoResponse(Exception):  # noqa: N818 (servers are unavailable at times)
    """The server did not respond; the message gives the reason."""


class TimedOut(NoResponse):
    """The server did not respond in time. It may still do what was asked."""


class BadURL(ValueError):  # noqa: N818 (a wrong configuration, not a bug)
    """The text is not the URL of a server."""


class Server(NamedTuple):
    """The parts of a server's URL."""

    is_secure: bool
    host: str
    port: int
    #: Precedes /api; usually "".
    path: str


class Response(NamedTuple):
    """The server's response."""

    status: int
    body: bytes

    def json(self) -> dict[str, Any]:
        """Parse the body; {} if it is not a JSON object."""
        import json

        try:
            found = json.loads(self.body)
        except ValueError:
            return {}
        return found if isinstance(found, dict) else {}

    def problem(self) -> str:
        """Return the server's error message in one line."""
        details = self.json()
        found = [str(details.get("detail") or details.get("title") or f"status {self.status}")]
        errors = details.get("errors")
        for error in errors[:3] if isinstance(errors, list) else []:
            if isinstance(error, dict):
                found.append(f"{error.get('pointer') or error.get('parameter') or ''} {error.get('detail')}".strip())
        return "; ".join(found)[:500]


def parse_url(url: str) -> Server:
    """Parse a URL like http://127.0.0.1:8000. Raises BadURL."""
    refused = BadURL(f"The server's address must be like http://127.0.0.1:8000, not {url!r}.")
    scheme, mark, rest = url.partition("://")
    if not mark or scheme.lower() not in {"http", "https"} or not url.isprintable() or not url.isascii():
        raise refused
    place, slash, path = rest.partition("/")
    is_secure = scheme.lower() == "https"
    if place.startswith("["):
        host, _, port = place[1:].partition("]")
        port = port.removeprefix(":")
    else:
        host, _, port = place.partition(":")
    if not host or set(" @?#\\") & set(rest) or not (port.isdecimal() or not port):
        raise refused
    number = int(port) if port else (443 if is_secure else 80)
    if not 0 < number < 65_536:
        raise refused
    return Server(is_secure, host, number, (slash + path).rstrip("/"))


def post(to: Server, key: str, path: str, body: bytes, deadline: float) -> Response:
    """Send POST /api/v1/`path` and return the response. `deadline` is a time of `time.monotonic`. Raises NoResponse."""
    host = f"[{to.host}]" if ":" in to.host else to.host
    head = (
        f"POST {to.path}/api/v1/{path} HTTP/1.1\r\nHost: {host}:{to.port}\r\nAuthorization: Bearer {key}\r\n"
        f"Content-Type: application/json\r\nAccept: application/json\r\nContent-Length: {len(body)}\r\n"
        f"X-Suture-Version: {__version__}\r\nConnection: close\r\n\r\n"
    )
    try:
        connection = _connected(to, deadline)
        try:
            connection.settimeout(_left(deadline))
            connection.sendall(head.encode() + body)
            return _received(connection, deadline)
        finally:
            connection.close()
    except TimeoutError:
        raise TimedOut("the server did not answer in time") from None
    except OSError as error:
        raise NoResponse(f"the server cannot be reached: {error.strerror or error}") from None


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _connected(to: Server, deadline: float) -> Any:
    """Connect to the first of the host's addresses that accepts a connection. Raises OSError."""
    _left(deadline)
    failed: OSError | None = None
    # As bytes, because a string would load the IDNA codec.
    for family, kind, protocol, _, place in sockets.getaddrinfo(to.host.encode(), to.port, 0, sockets.SOCK_STREAM):
        connection = _socket(to, family, kind, protocol)
        try:
            connection.settimeout(_left(deadline))
            connection.connect(place)
            return _secured(connection, to) if to.is_secure else connection
        except OSError as error:
            connection.close()
            failed = failed or error
    raise failed or OSError("the host has no address")


def _socket(to: Server, *kind: int) -> Any:
    if to.is_secure:
        import socket  # TLS needs the standard library's own class

        return socket.socket(*kind)
    return sockets.socket(*kind)


def _secured(connection: Any, to: Server) -> Any:
    import ssl

    return ssl.create_default_context().wrap_socket(connection, server_hostname=to.host)


def _received(connection: Any, deadline: float) -> Response:
    """Receive the response. It ends after Content-Length bytes, with the last chunk, or with the connection."""
    data = bytearray()

    def more() -> bool:
        connection.settimeout(_left(deadline))
        piece = connection.recv(65_536)
        data.extend(piece)
        if len(data) > _MAX_RESPONSE:
            raise NoResponse("the server's answer is too long")
        return bool(piece)

    while True:
        while (end := data.find(b"\r\n\r\n")) < 0:
            if not more():
                raise NoResponse("the server closed the connection without an answer")
        status, headers = _head(bytes(data[:end]))
        del data[: end + 4]
        if status >= 200:
            break
    if b"chunked" in headers.get(b"transfer-encoding", b"").lower():
        while (body := _dechunked(bytes(data))) is None:
            if not more():
                raise NoResponse("the server's answer was cut off")
        return Response(status, body)
    length = headers.get(b"content-length", b"")
    if not length.isdigit():
        while more():
            pass
        return Response(status, bytes(data))
    while len(data) < int(length):
        if not more():
            raise NoResponse("the server's answer was cut off")
    return Response(status, bytes(data[: int(length)]))


def _head(head: bytes) -> tuple[int, dict[bytes, bytes]]:
    first, *lines = head.split(b"\r\n")
    words = first.split()
    if len(words) < 2 or not words[0].startswith(b"HTTP/1.") or not words[1].isdigit():
        raise NoResponse("the response is not HTTP")
    headers = {}
    for line in lines:
        name, _, value = line.partition(b":")
        headers[name.strip().lower()] = value.strip()
    return int(words[1]), headers


def _dechunked(data: bytes) -> bytes | None:
    """Decode a chunked body; None if it is incomplete."""
    pieces: list[bytes] = []
    place = 0
    while (end := data.find(b"\r\n", place)) >= 0:
        try:
            size = int(data[place:end].partition(b";")[0], 16)
        except ValueError:
            raise NoResponse("the server's answer is not HTTP") from None
        if size == 0:
            return b"".join(pieces)
        place = end + 2 + size + 2
        if place > len(data):
            return None
        pieces.append(data[end + 2 : place - 2])
    return None
