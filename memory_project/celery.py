"""The Celery application. Tasks claim rows: the table is the queue, so a lost message loses nothing."""

import os
from typing import Any

from celery import Celery
from celery.signals import worker_init

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memory_project.settings")

app = Celery("suture", task_cls="memory_project.worker:OneAtATime")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@worker_init.connect
def answer_heartbeats(**_: Any) -> None:
    """Only a worker: beat sends heartbeats, and the web server imports this too."""
    from memory_project.heartbeats import Heartbeats

    app.steps["consumer"].add(Heartbeats)
