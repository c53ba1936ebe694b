"""What is read outside of the gate's functions, as guards let it be read."""

import uuid
from typing import Any

import orjson

from memory.values import db


def to_read(value: Any, tenant_id: uuid.UUID) -> Any:
    """A JSON value without the values that are forgotten, and with new words for those that are replaced. Called within
    the tenant."""
    if not db.is_guarded(tenant=tenant_id):
        return value
    kept = db.reword_to_read(tenant=tenant_id, json=orjson.dumps(value).decode())
    return value if kept is None else orjson.loads(kept)
