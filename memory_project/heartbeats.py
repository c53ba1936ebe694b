"""How the worker answers heartbeats: in its main process, from a queue of their own."""

import logging
from datetime import UTC, datetime
from typing import Any

import redis
from celery import bootsteps
from django.conf import settings
from kombu import Consumer, Queue

from memory_project.tasks import beat_heart

logger = logging.getLogger("suture.worker")


class Heartbeats(bootsteps.ConsumerStep):
    """The main process of the worker takes heartbeats from a queue of their own, and answers them by itself: they wait
    for none of its processes, however long these are busy."""

    def get_consumers(self, channel: Any) -> list[Consumer]:
        """The consumer of the queue of heartbeats."""
        queue = settings.CELERY_TASK_ROUTES[beat_heart.name]["queue"]
        return [Consumer(channel, queues=[Queue(queue)], callbacks=[self.beat], accept=["json"])]

    def stop(self, c: Any) -> None:
        """Cancel the consumer, unless its connection was lost: Celery has closed that by then, and its channel fails
        at whatever it is asked."""
        if c.connection is not None:
            super().stop(c)
        self.consumers = []

    def beat(self, body: Any, message: Any) -> None:
        """Write the time, unless the message is older than its `expires`: those pile up while no worker runs."""
        message.ack()
        if expires := message.headers.get("expires"):
            until = datetime.fromisoformat(expires)
            if until.replace(tzinfo=until.tzinfo or UTC) < datetime.now(UTC):
                return
        try:
            beat_heart()
        except redis.RedisError as error:
            logger.warning("the heartbeat was not written: %s", type(error).__name__)
