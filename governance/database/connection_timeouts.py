"""Connections to PostgreSQL that detect a frozen server.

A frozen server keeps its connections: its machine confirms every packet, so neither `tcp_user_timeout` nor keepalives
end them, and libpq waits for an answer without a limit. `statement_timeout` does not help, since the server enforces
it.
"""

import socket
import struct
import threading
import time
from collections.abc import Generator
from contextlib import suppress
from typing import Any, TypeVar

import psycopg
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq.abc import PGconn

R = TypeVar("R")

#: Seconds that a statement waits before the server is probed, and between two probes.
SILENCE = 2.0
#: Timeout of a probe in seconds.
ANSWER = 2.0
#: Seconds without new connections to a server after a connection attempt has timed out.
PAUSE = 1.0
#: Defaults unless the connection's URL overrides them: seconds to connect, milliseconds until a packet must be
#: confirmed, and seconds until keepalives on an idle connection.
DEFAULTS: dict[str, Any] = {
    "connect_timeout": 3,
    "tcp_user_timeout": 10_000,
    "keepalives_idle": 30,
    "keepalives_interval": 5,
    "keepalives_count": 3,
}
#: SSLRequest, which every server and pooler answers before authentication: length and code.
_QUESTION = struct.pack("!ii", 8, 80877103)

_lock = threading.Lock()
#: Until when no connection to a server is attempted, by host and port.
_paused: dict[tuple[Any, Any], float] = {}


class WatchedConnection(psycopg.Connection[Any]):
    """A connection that is closed, with an OperationalError of its statement, if the server does not answer a probe:
    after SILENCE and ANSWER seconds. Slow statements continue."""

    @classmethod
    def connect(cls, conninfo: str = "", **kwargs: Any) -> Any:
        """Connect with DEFAULTS. Raises psycopg.OperationalError; for PAUSE seconds after a timeout, immediately."""
        given = conninfo_to_dict(conninfo) | kwargs
        server = given.get("host"), given.get("port")
        with _lock:
            if time.monotonic() < _paused.get(server, 0.0):
                raise psycopg.OperationalError("the database server did not answer a moment ago")
        own = {name: value for name, value in DEFAULTS.items() if name not in given}
        try:
            return super().connect(conninfo, **own, **kwargs)
        except psycopg.errors.ConnectionTimeout:
            with _lock:
                _paused[server] = time.monotonic() + PAUSE
            raise

    def wait(self, gen: Any, *args: Any, **kwargs: Any) -> Any:
        """The result of a statement. Raises psycopg.OperationalError if the server no longer answers."""
        return super().wait(self._watched(gen), *args, **kwargs)

    def _watched(self, gen: Generator[Any, Any, R]) -> Generator[Any, Any, R]:
        """The same exchange with the server, interrupted if the server is silent."""
        due = time.monotonic() + SILENCE
        try:
            wanted = next(gen)
            while True:
                is_ready = yield wanted
                if is_ready:
                    due = time.monotonic() + SILENCE
                elif time.monotonic() >= due:
                    if not answers(self.pgconn):
                        self.pgconn.finish()
                        raise psycopg.OperationalError("the database server does not answer")
                    due = time.monotonic() + SILENCE
                wanted = gen.send(is_ready)
        except StopIteration as end:
            answer: R = end.value
            return answer


def answers(connection: PGconn) -> bool:
    """Whether the server of a connection answers a second connection within ANSWER seconds. Closing it at once counts
    as an answer: a server that is starting or out of connections does this."""
    host, port = connection.hostaddr.decode() or connection.host.decode(), int(connection.port or 5432)
    try:
        with _opened(host, port) as asking:
            asking.settimeout(ANSWER)
            asking.sendall(_QUESTION)
            with suppress(ConnectionError):
                asking.recv(1)
    except OSError:
        return False
    return True


def _opened(host: str, port: int) -> socket.socket:
    if not host.startswith(("/", "@")):
        return socket.create_connection((host, port), ANSWER)
    asking = socket.socket(socket.AF_UNIX)
    asking.settimeout(ANSWER)
    path = f"{host}/.s.PGSQL.{port}"
    asking.connect("\0" + path[1:] if path.startswith("@") else path)
    return asking
