"""Every change of state of capsules. No HTTP, no Celery, no request."""
