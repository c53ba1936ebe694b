"""Shared by all endpoints: problem details, strict bodies and fields, pages, idempotency."""
