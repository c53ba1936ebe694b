"""The Celery application. Tasks claim rows: the table is the queue, so a lost message loses nothing."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memory_project.settings")

app = Celery("suture")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
