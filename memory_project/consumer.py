"""How the worker comes back to a broker that was away."""

from functools import partial
from typing import Any

from celery.worker.consumer import Consumer
from kombu import Connection

#: The most seconds between two attempts to connect. Celery waits up to 30.
LONGEST_SECONDS = 3


class PromptConsumer(Consumer):
    """Celery's consumer, which tries to connect again every few seconds: Redis answers at once whether it is there."""

    def ensure_connected(self, conn: Connection) -> Any:
        patient = partial(conn.ensure_connection, interval_start=1, interval_step=1, interval_max=LONGEST_SECONDS)
        conn.ensure_connection = patient  # type: ignore[method-assign] # of this one connection
        return super().ensure_connected(conn)
