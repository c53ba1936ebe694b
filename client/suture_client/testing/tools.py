"""The tools of the fake server, in the formats of models."""

import re
from collections.abc import Mapping
from typing import Any

from suture_client.testing.refusals import Refused

_ABOUT = ("subject_type", "subject_id", "project_id", "session_id", "channel")
#: The description and the arguments of each tool; those before the star are required.
_TOOLS = {
    "memory_commit": ("Remember something about the user.", ("content", "*", "importance", *_ABOUT)),
    "search_memory": ("Find what was remembered.", ("query", "*", "limit", *_ABOUT)),
    "memory_correct": ("Replace words in all memory.", ("value", "to", "reason", "*", *_ABOUT[:2])),
    "memory_forget": ("Remove words from all memory.", ("value", "reason", "*", *_ABOUT[:2])),
}
_NUMBERS = {"importance", "limit"}
_FORMATS: dict[str, tuple[str, dict[str, Any]]] = {
    "openai": ("parameters", {"type": "function"}),
    "openai-responses": ("parameters", {"type": "function", "strict": False}),
    "anthropic": ("input_schema", {}),
}


def definitions(format: str, names: list[str]) -> list[dict[str, Any]]:
    """The definitions of tools. Raises Refused for a format or a tool that the fake server does not have."""
    if format not in _FORMATS:
        raise Refused(400, "invalid", f"The fake server has the formats {', '.join(_FORMATS)}, not {format}.")
    for name in names:
        _arguments(name, 400)
    return [_definition(format, name) for name in names]


def read(name: str, given: Any) -> dict[str, Any]:
    """The arguments of a call, in snake_case. Raises Refused for an unknown tool, and if a required one is missing."""
    required, _ = _arguments(name, 404)
    if not isinstance(given, Mapping):
        raise Refused(400, "invalid", "The arguments must be a JSON object.", "#")
    arguments = {re.sub("[A-Z]", lambda capital: f"_{capital[0].lower()}", key): given[key] for key in given}
    for argument in required:
        if argument not in arguments:
            raise Refused(400, "invalid", "This field is required.", f"#/{argument}")
    return arguments


def _definition(format: str, name: str) -> dict[str, Any]:
    schema, more = _FORMATS[format]
    required, optional = _arguments(name)
    properties = {one: {"type": "number" if one in _NUMBERS else "string"} for one in (*required, *optional)}
    function = {
        "name": name,
        "description": _TOOLS[name][0],
        schema: {"type": "object", "properties": properties, "required": list(required)},
    }
    return {**more, "function": function} if format == "openai" else {**more, **function}


def _arguments(name: str, status: int = 400) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The required and the other arguments of a tool."""
    if name not in _TOOLS:
        raise Refused(status, "unknown-tool", f"The fake server has no tool {name}. It has {', '.join(_TOOLS)}.")
    arguments = _TOOLS[name][1]
    star = arguments.index("*")
    return arguments[:star], arguments[star + 1 :]
