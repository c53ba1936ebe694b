"""All state changes of memory. No HTTP, no Celery, no request."""
