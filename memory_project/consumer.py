"""How the worker reconnects to the broker."""

from functools import partial
from typing import Any

from celery.worker.consumer import Consumer
from kombu import Connection

#: Maximum seconds between two attempts to connect. Celery's default grows to 30.
MAX_SECONDS = 3


class PromptConsumer(Consumer):
    """Celery's consumer with shorter reconnection intervals."""

    def ensure_connected(self, conn: Connection) -> Any:
        patient = partial(conn.ensure_connection, interval_start=1, interval_step=1, interval_max=MAX_SECONDS)
        conn.ensure_connection = patient  # type: ignore[method-assign] # of this one connection
        return super().ensure_connected(conn)
