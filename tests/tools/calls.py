"""Calling tools over HTTP, as a framework does."""

from typing import Any

import jsonschema

from governance.tools import registry, schemas


def call(api: Any, name: str, arguments: Any = None, **headers: str) -> dict[str, Any]:
    """The answer of a tool, which must be what its declaration says."""
    answer: dict[str, Any] = api.ok("post", f"tools/{name}", arguments or {}, **headers)
    jsonschema.Draft202012Validator(schemas.answer_of(registry.find(name))).validate(answer)
    return answer


def faults(answer: Any, status: int = 400) -> dict[str, str]:
    """What a refused call names: detail by pointer."""
    assert answer.status_code == status, answer.content
    assert answer["Content-Type"] == "application/problem+json"
    return {one["pointer"]: one["detail"] for one in answer.json()["errors"]}
