"""The Celery application. Tasks claim rows: the table is the queue, so losing a message loses no work."""

import os
from typing import Any

from celery import Celery
from celery.signals import worker_init

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memory_project.settings")

app = Celery("suture", task_cls="memory_project.worker:NonOverlappingTask")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@worker_init.connect
def prepare_worker(**_: Any) -> None:
    """Add the heartbeat consumer, and load the model that the worker's processes share. This is for the worker only:
    beat and the web server import this module too."""
    from memory.embedding import thirteen
    from memory_project import loading
    from memory_project.heartbeats import Heartbeats

    app.steps["consumer"].add(Heartbeats)
    thirteen.load()
    loading.prepare_fork()
