"""Every change of state in memory. No HTTP, no Celery, no request."""
