"""One HTTP request with a deadline for all of it: finding the host, connecting, sending and receiving.

`http.client` and `socket` would add about 30 ms to every hook, and their timeouts start again with each byte.
"""

import time
from typing import Any, NamedTuple

from suture_client import __version__

try:
    import _socket as sockets
except ImportError:  # an interpreter other than CPython
    import socket as sockets  # type: ignore[no-redef] # takes the place of _socket, which is missing

#: In bytes, of an answer.
_LIMIT = 8_000_000


class NoAnswer(Exception):  # noqa: N818 (nobody's error: servers are away at times)
    """The server did not answer in time; the message says why."""


class BadAddress(ValueError):  # noqa: N818 (what a person wrote is at fault, not the program)
    """The text is not the address of a server."""


class Server(NamedTuple):
    """Where the API is."""

    is_secure: bool
    host: str
    port: int
    #: Before /api; mostly "".
    path: str


class Answer(NamedTuple):
    """What the server answered."""

    status: int
    body: bytes

    def json(self) -> dict[str, Any]:
        """The object that was answered; an empty one if it is none."""
        import json

        try:
            found = json.loads(self.body)
        except ValueError:
            return {}
        return found if isinstance(found, dict) else {}

    def problem(self) -> str:
        """What the server says is wrong, in a line."""
        details = self.json()
        found = [str(details.get("detail") or details.get("title") or f"status {self.status}")]
        errors = details.get("errors")
        for error in errors[:3] if isinstance(errors, list) else []:
            if isinstance(error, dict):
                found.append(f"{error.get('pointer') or error.get('parameter') or ''} {error.get('detail')}".strip())
        return "; ".join(found)[:500]


def server(url: str) -> Server:
    """The server at an address like http://127.0.0.1:8000. Raises BadAddress."""
    refused = BadAddress(f"The server's address must be like http://127.0.0.1:8000, not {url!r}.")
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


def post(to: Server, key: str, path: str, body: bytes, deadline: float) -> Answer:
    """The answer to POST /api/v1/`path`. `deadline` is in seconds of `time.monotonic`. Raises NoAnswer."""
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
        raise NoAnswer("the server did not answer in time") from None
    except OSError as error:
        raise NoAnswer(f"the server cannot be reached: {error.strerror or error}") from None


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _connected(to: Server, deadline: float) -> Any:
    """A connection to the first of the host's addresses that accepts one. Raises OSError."""
    _left(deadline)
    failed: OSError | None = None
    # As bytes, because a text would load the codec of international names.
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


def _received(connection: Any, deadline: float) -> Answer:
    """The answer. It ends at its length, at its last chunk, or with the connection."""
    data = bytearray()

    def more() -> bool:
        connection.settimeout(_left(deadline))
        piece = connection.recv(65_536)
        data.extend(piece)
        if len(data) > _LIMIT:
            raise NoAnswer("the server's answer is too long")
        return bool(piece)

    while True:
        while (end := data.find(b"\r\n\r\n")) < 0:
            if not more():
                raise NoAnswer("the server closed the connection without an answer")
        status, headers = _head(bytes(data[:end]))
        del data[: end + 4]
        if status >= 200:
            break
    if b"chunked" in headers.get(b"transfer-encoding", b"").lower():
        while (body := _joined(bytes(data))) is None:
            if not more():
                raise NoAnswer("the server's answer was cut off")
        return Answer(status, body)
    length = headers.get(b"content-length", b"")
    if not length.isdigit():
        while more():
            pass
        return Answer(status, bytes(data))
    while len(data) < int(length):
        if not more():
            raise NoAnswer("the server's answer was cut off")
    return Answer(status, bytes(data[: int(length)]))


def _head(head: bytes) -> tuple[int, dict[bytes, bytes]]:
    first, *lines = head.split(b"\r\n")
    words = first.split()
    if len(words) < 2 or not words[0].startswith(b"HTTP/1.") or not words[1].isdigit():
        raise NoAnswer("what answers there is not an HTTP server")
    headers = {}
    for line in lines:
        name, _, value = line.partition(b":")
        headers[name.strip().lower()] = value.strip()
    return int(words[1]), headers


def _joined(data: bytes) -> bytes | None:
    """The content of a chunked body; None if it is not complete."""
    pieces: list[bytes] = []
    place = 0
    while (end := data.find(b"\r\n", place)) >= 0:
        try:
            size = int(data[place:end].partition(b";")[0], 16)
        except ValueError:
            raise NoAnswer("the server's answer is not HTTP") from None
        if size == 0:
            return b"".join(pieces)
        place = end + 2 + size + 2
        if place > len(data):
            return None
        pieces.append(data[end + 2 : place - 2])
    return None
