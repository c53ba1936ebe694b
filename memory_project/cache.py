"""How values are kept in the cache."""

import json
from typing import Any


class JSONSerializer:
    """JSON, where Django's default is pickle: whoever can write to Redis would run code in every process that reads."""

    def dumps(self, value: Any) -> bytes:
        """The bytes of a value. Raises TypeError for what JSON has no form for."""
        return json.dumps(value).encode()

    def loads(self, kept: bytes) -> Any:
        """The value."""
        return json.loads(kept)
