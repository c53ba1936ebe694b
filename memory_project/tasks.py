"""The worker's heartbeat: how a web node knows that a worker is alive."""

import os
import time
from typing import Any

import redis
from celery import shared_task
from celery.signals import worker_ready
from django.conf import settings
from redis.backoff import NoBackoff
from redis.retry import Retry

from memory_project.environment import ready_key

#: The Redis key of the last heartbeat.
HEARTBEAT_KEY = "suture:worker:heartbeat"
#: Seconds without a heartbeat after which a worker counts as dead.
HEARTBEAT_SECONDS = 60


def connect() -> "redis.Redis":
    """A Redis client that gives up after two seconds and does not retry."""
    return redis.Redis.from_url(
        settings.REDIS_URL, socket_connect_timeout=2, socket_timeout=2, retry=Retry(NoBackoff(), 0)
    )


@shared_task(name="memory_project.tasks.beat_heart")
def beat_heart() -> None:
    """Write the time of a heartbeat; it expires by the broker's clock, independently of the nodes' clocks."""
    with connect() as client:
        client.set(HEARTBEAT_KEY, repr(time.time()), ex=HEARTBEAT_SECONDS)


@worker_ready.connect
def beat_at_once(**_: Any) -> None:
    """Send the first heartbeat at once, so that readiness does not wait for the schedule, and tell the supervisor that
    this worker is ready."""
    beat_heart()
    with connect() as client:
        client.set(ready_key(os.getpid()), 1, ex=HEARTBEAT_SECONDS)
