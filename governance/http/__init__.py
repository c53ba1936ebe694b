"""What every endpoint shares: problem details, strict bodies and fields, pages, idempotency."""
