"""All state changes of capsules. No HTTP, no Celery, no request."""
