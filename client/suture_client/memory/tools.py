"""The server's tools under short names, within a scope: a model names neither subject nor session."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from suture_client.errors import Problem, Unavailable
from suture_client.http import Call
from suture_client.memory.requests import Scoped
from suture_client.memory.steps import Steps

_SUBJECT = ("subject_type", "subject_id")
_ABOUT = (*_SUBJECT, "project_id", "channel")


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool of the server, and its arguments that the scope sets."""

    name: str
    scoped: tuple[str, ...]


TOOLS = {
    "remember": Tool("memory_commit", (*_ABOUT, "session_id")),
    "recall": Tool("search_memory", _ABOUT),
    "correct": Tool("memory_correct", _SUBJECT),
    "forget": Tool("memory_forget", _SUBJECT),
}
#: The server's names of the formats.
_FORMATS = {"openai-chat": "openai"}
_SHORT_NAMES = {tool.name: name for name, tool in TOOLS.items()}
_NAMES = re.compile(rf"\b({'|'.join(_SHORT_NAMES)})\b")


def tools(
    memory: Scoped, format: str = "openai-responses", *, only: Sequence[str] = tuple(TOOLS)
) -> Steps[list[dict[str, Any]]]:
    """Return the definitions of tools for a model: `format` is openai-responses, openai-chat or anthropic (or another
    one of the server). `only` has the names remember, recall, correct and forget, or the server's, such as timeline.
    Raises Invalid for other names."""
    names = [TOOLS[name].name if name in TOOLS else name for name in only]
    parameters = {"format": _FORMATS.get(format, format), "only": ",".join(names)}
    answer = yield Call("GET", ("tools",), parameters, headers=memory.face.scope.headers)
    by_name = {_function(one)["name"]: one for one in answer["tools"]}
    return [_within(memory, by_name[name]) for name in names]


def call(memory: Scoped, tool_call: Any) -> Steps[str]:
    """Make a model's call of a tool: an object or a dict of OpenAI's or Anthropic's packages. Returns the answer for
    the model, as JSON; so is a refusal, from which it learns what to do. Raises Unavailable, Unauthorized."""
    called = _as_dict(tool_call)
    called = _as_dict(called.get("function") or called)
    name, arguments = called["name"], called.get("arguments", called.get("input"))
    if isinstance(arguments, str):
        arguments = _parsed(arguments)
    tool = TOOLS.get(name, Tool(name, ()))
    if isinstance(arguments, dict):
        fields = _fields(memory, tool)
        arguments = {**_others(arguments, fields), **fields}
    try:
        answer = yield Call("POST", ("tools", tool.name), body=arguments, headers=memory.face.scope.headers)
    except Problem as problem:
        if isinstance(problem, Unavailable) or problem.is_server_error or problem.status == 401:
            raise
        answer = problem.details
    return json.dumps(answer, ensure_ascii=False, separators=(",", ":"))


def _within(memory: Scoped, definition: dict[str, Any]) -> dict[str, Any]:
    """Rename a tool, and leave out the arguments that the scope sets."""
    changed = _renamed(_function(definition))
    if changed["name"] in TOOLS:
        schema = next(name for name in ("parameters", "input_schema", "inputSchema", "schema") if name in changed)
        changed[schema] = _without(changed[schema], _fields(memory, TOOLS[changed["name"]]))
    return {**definition, "function": changed} if "function" in definition else changed


def _fields(memory: Scoped, tool: Tool) -> dict[str, Any]:
    fields = memory.face.scope.fields()
    return {name: fields[name] for name in tool.scoped if name in fields}


def _others(named: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """The arguments with other names, in snake_case or camelCase."""
    plain = {_plain(name) for name in names}
    return {name: value for name, value in named.items() if _plain(name) not in plain}


def _plain(name: str) -> str:
    return name.replace("_", "").lower()


def _without(schema: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    left = _others(schema["properties"], names)
    required = [name for name in schema.get("required", ()) if name in left]
    return {**schema, "properties": left, **({"required": required} if "required" in schema else {})}


def _renamed(value: Any) -> Any:
    """Replace the server's names of tools, also in descriptions."""
    if isinstance(value, str):
        return _NAMES.sub(lambda found: _SHORT_NAMES[found[0]], value)
    if isinstance(value, list):
        return [_renamed(one) for one in value]
    return {name: _renamed(one) for name, one in value.items()} if isinstance(value, dict) else value


def _function(definition: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = definition.get("function", definition)
    return found


def _as_dict(given: Any) -> Mapping[str, Any]:
    """A call, or a part of it, as a mapping."""
    return given if isinstance(given, Mapping) else vars(given)


def _parsed(text: str) -> Any:
    """Arguments that a model wrote. The server says what is wrong with those that are not JSON."""
    try:
        return json.loads(text or "{}")
    except ValueError:
        return text
