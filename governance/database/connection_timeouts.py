"""Connections to PostgreSQL that give up a server which is there and does not answer.

A server that is frozen keeps its connections: its machine confirms every packet, so neither `tcp_user_timeout` nor
keepalives end them, and libpq waits for an answer without a limit. `statement_timeout` is the server's own, which then
measures nothing.
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

#: Seconds that a statement waits before the server is asked whether it answers at all, and between two such questions.
SILENCE = 2.0
#: Seconds that the answer to this question may take.
ANSWER = 2.0
#: Seconds in which a process makes no new connection to a server that has just taken none in time.
PAUSE = 1.0
#: What a connection has where its URL says nothing else: seconds to connect in, milliseconds until a packet must be
#: confirmed, and seconds until a silent connection is looked after.
DEFAULTS: dict[str, Any] = {
    "connect_timeout": 3,
    "tcp_user_timeout": 10_000,
    "keepalives_idle": 30,
    "keepalives_interval": 5,
    "keepalives_count": 3,
}
#: "Do you speak TLS?", which every server and pooler answers before it asks for a user: length and code.
_QUESTION = struct.pack("!ii", 8, 80877103)

_lock = threading.Lock()
#: Until when no connection is made to a server, by its host and port.
_paused: dict[tuple[Any, Any], float] = {}


class WatchedConnection(psycopg.Connection[Any]):
    """A connection whose statements end with OperationalError, and which is then closed, when the server is found not
    to answer: after SILENCE and ANSWER seconds. A statement that only takes long goes on."""

    @classmethod
    def connect(cls, conninfo: str = "", **kwargs: Any) -> Any:
        """Connect, with DEFAULTS. Raises psycopg.OperationalError, at once for PAUSE seconds after a server has not
        answered in time."""
        given = conninfo_to_dict(conninfo) | kwargs
        server = given.get("host"), given.get("port")
        with _lock:
            if time.monotonic() < _paused.get(server, 0.0):
                raise psycopg.OperationalError("the database server has just not answered")
        own = {name: value for name, value in DEFAULTS.items() if name not in given}
        try:
            return super().connect(conninfo, **own, **kwargs)
        except psycopg.errors.ConnectionTimeout:
            with _lock:
                _paused[server] = time.monotonic() + PAUSE
            raise

    def wait(self, gen: Any, *args: Any, **kwargs: Any) -> Any:
        """What a statement answers. Raises psycopg.OperationalError where the server does not answer any more."""
        return super().wait(self._watched(gen), *args, **kwargs)

    def _watched(self, gen: Generator[Any, Any, R]) -> Generator[Any, Any, R]:
        """The same exchange with the server, interrupted where that has gone silent."""
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
    """Whether the server of a connection answers another one, within ANSWER seconds. To close it at once is an answer,
    too: a server that starts or that has no connection left does so."""
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
