"""The worker's heartbeats: its main process answers them, from a separate queue."""

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
    """Lets the worker's main process answer heartbeats from a separate queue, so that they never wait for its child
    processes."""

    def get_consumers(self, channel: Any) -> list[Consumer]:
        """The consumer of the heartbeat queue."""
        queue = settings.CELERY_TASK_ROUTES[beat_heart.name]["queue"]
        return [Consumer(channel, queues=[Queue(queue)], callbacks=[self.beat], accept=["json"])]

    def stop(self, c: Any) -> None:
        """Cancel the consumer, unless the connection was lost: Celery has closed it by then, and any call on its
        channel fails."""
        if c.connection is not None:
            super().stop(c)
        self.consumers = []

    def beat(self, body: Any, message: Any) -> None:
        """Write the time, unless the message has expired: messages pile up while no worker runs."""
        message.ack()
        if expires := message.headers.get("expires"):
            until = datetime.fromisoformat(expires)
            if until.replace(tzinfo=until.tzinfo or UTC) < datetime.now(UTC):
                return
        try:
            beat_heart()
        except redis.RedisError as error:
            logger.warning("could not write the heartbeat: %s", type(error).__name__)
