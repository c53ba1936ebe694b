"""The application of Celery with tasks of tests, for a worker: `celery -A tests.stack.tasks_of_tests worker`."""

import os
import time

import redis

from memory_project.celery import app


def _note(name: str) -> None:
    with redis.Redis.from_url(os.environ["REDIS_URL"]) as client:
        client.rpush("ran", name)


@app.task(name="tests.work", alone=False)
def work(seconds: float) -> None:
    """Work for so long, as long runs do."""
    _note("work")
    time.sleep(seconds)


@app.task(name="tests.long")
def long(seconds: float) -> None:
    """Work for so long, one run at a time."""
    _note("long")
    time.sleep(seconds)
