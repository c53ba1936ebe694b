"""What the fake server refuses, as the real one does."""

import uuid
from typing import Any

import httpx


class Refused(Exception):  # noqa: N818 (an answer)
    """A refused request."""

    def __init__(self, status: int, code: str, detail: str, pointer: str = "") -> None:
        super().__init__(detail)
        self.status, self._code, self._detail, self._pointer = status, code, detail, pointer

    def details(self) -> dict[str, Any]:
        """The problem details."""
        errors = [{"pointer": self._pointer, "detail": self._detail, "code": self._code}] if self._pointer else []
        title = httpx.codes.get_reason_phrase(self.status)
        return {
            "type": f"urn:suture:problem:{self._code}", "code": self._code, "title": title, "status": self.status,
            "detail": self._detail, "request_id": str(uuid.uuid4()), "errors": errors,
        }  # fmt: skip
