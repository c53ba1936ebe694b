"""The serializer of cached values."""

import json
from typing import Any


class JSONSerializer:
    """JSON instead of Django's default, pickle: with pickle, anybody who can write to Redis could run code here."""

    def dumps(self, value: Any) -> bytes:
        """Serialize a value. Raises TypeError if JSON cannot represent it."""
        return json.dumps(value).encode()

    def loads(self, kept: bytes) -> Any:
        """Deserialize a value."""
        return json.loads(kept)
