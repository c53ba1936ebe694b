"""Wiring: settings, URLs, Celery, the embedded stack, health and metrics. Imports every app; no app imports it."""

from memory_project.celery import app as celery_app

__all__ = ["celery_app"]
