"""The worker's heartbeat: how a web node knows that somebody works on the queue."""

import os
import time
from typing import Any

import redis
from celery import shared_task
from celery.signals import worker_process_init, worker_ready
from django.conf import settings
from redis.backoff import NoBackoff
from redis.retry import Retry

from memory.embedding import thirteen
from memory_project.environment import ready_key

#: Where in Redis a worker writes when it was alive.
HEARTBEAT_KEY = "suture:worker:heartbeat"
#: A worker that did not report for so long is taken for gone.
HEARTBEAT_SECONDS = 60


def connect() -> "redis.Redis":
    """A client of the broker that gives up after two seconds instead of waiting, and does not try again."""
    return redis.Redis.from_url(
        settings.REDIS_URL, socket_connect_timeout=2, socket_timeout=2, retry=Retry(NoBackoff(), 0)
    )


@shared_task(name="memory_project.tasks.beat_heart")
def beat_heart() -> None:
    """Write the time at which a worker was alive; it expires by the broker's clock, whatever those of the nodes say."""
    with connect() as client:
        client.set(HEARTBEAT_KEY, repr(time.time()), ex=HEARTBEAT_SECONDS)


@worker_ready.connect
def beat_at_once(**_: Any) -> None:
    """The first beat, so that readiness does not wait for the schedule's first tick; and that this worker is ready, for
    the supervisor that started it."""
    beat_heart()
    with connect() as client:
        client.set(ready_key(os.getpid()), 1, ex=HEARTBEAT_SECONDS)


@worker_process_init.connect
def load_model(**_: Any) -> None:
    """The model that embeds, before the first job: in each process, since none of its threads survives a fork."""
    thirteen.load()
