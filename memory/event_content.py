"""The content of an event: the fields of each kind, and the words by which search finds it."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from governance import text as rules
from governance.body import (
    AnyValue,
    Base64,
    Choice,
    Faults,
    Field,
    Identity,
    Integer,
    ListOf,
    Pattern,
    Text,
    read_fields,
)
from memory.models import Kind, Scope, Task

#: How many entries a list of a decision may have.
MAX_ITEMS = 100
#: How many characters a free field may have as text.
MAX_FREE_TEXT = rules.EVENT_TEXT.max_length
SCOPE_FIELDS = ("scope", "subject_type", "subject_id", "project_id")

_IDENTIFIER = Text(rules.IDENTIFIER)
_NAME = replace(_IDENTIFIER, required=False)
_ABOUT = replace(_IDENTIFIER, required=False, nullable=True)
_TEXT = Text(rules.EVENT_TEXT, required=False)


#: What a record is about. Null is the same as absent.
SCOPE: dict[str, Field] = {
    "scope": Choice(Scope.choices, required=False, nullable=True),
    "subject_type": _ABOUT,
    "subject_id": _ABOUT,
    "project_id": _ABOUT,
}
_LANGUAGE = Pattern(
    rules.IDENTIFIER, False, pattern=r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,4}", form="a language tag such as en or de-CH"
)
_MEDIA_TYPE = Pattern(
    rules.IDENTIFIER,
    pattern=r"""[\w.+-]+/[\w.+-]+( *; *[\w-]+=("[^"]*"|[\w.+-]+))*""",
    form="a media type such as text/markdown",
)
_PASSAGES = ListOf(Text(rules.PASSAGE), MAX_ITEMS, required=False)
_SAID: dict[str, Field] = {"text": _TEXT, "lang": _LANGUAGE, **SCOPE}
_TOOL: dict[str, Field] = {**_SAID, "tool": _NAME, "call_id": _NAME}
_FREE: dict[str, Field] = {"data": AnyValue()}

#: The fields of the content, by kind. Any other field is refused: `data` is the place for what has no field.
CONTENT: dict[str, dict[str, Field]] = {
    Kind.MESSAGE: {**_SAID, **_FREE},
    Kind.TOOL_CALL: {**_TOOL, "arguments": AnyValue(), **_FREE},
    Kind.TOOL_RESULT: {**_TOOL, "exit_code": Integer(-(2**31), 2**31 - 1), **_FREE},
    Kind.DECISION: {
        **_SAID,
        "decision": Text(rules.STATEMENT),
        "rationale": _PASSAGES,
        "constraints": _PASSAGES,
        "alternatives": _PASSAGES,
        "supersedes": Identity(required=False, nullable=True),
        **_FREE,
    },
    Kind.TASK_UPDATE: {
        **_SAID,
        "task_id": Identity(required=False, nullable=True),
        "title": _IDENTIFIER,
        "details": _TEXT,
        "status": Choice(Task.Status.choices),
        **_FREE,
    },
    Kind.ARTIFACT: {**_SAID, "name": _IDENTIFIER, "media_type": _MEDIA_TYPE, "note": _TEXT, "data": Base64()},
}
#: The field that names a typed record.
TITLES: dict[str, str] = {Kind.DECISION: "decision", Kind.TASK_UPDATE: "title", Kind.ARTIFACT: "name"}
#: What other systems call a field of ours, for the hint in a refusal.
ELSEWHERE = {
    "data": ("attributes", "extra", "json", "metadata", "output", "payload", "response", "result", "structured"),
    "text": ("body", "content", "message", "stderr", "stdout", "value"),
    "tool": ("function", "name", "tool_name"),
    "arguments": ("args", "input", "parameters", "params"),
    "call_id": ("tool_call_id", "tool_use_id"),
    "exit_code": ("returncode", "return_code"),
    "decision": ("statement",),
    "details": ("description",),
    "name": ("filename", "path", "title"),
    "media_type": ("content_type", "mime_type"),
}
#: Fields that are codes: they have filters of their own, or mean nothing to a search.
_CODES = {*SCOPE_FIELDS, "lang", "status", "task_id", "supersedes", "media_type"}


def read(kind: str, content: Mapping[str, Any], pointer: str, faults: Faults) -> None:
    """Check the content of an event of a kind. Adds each fault with its place to `faults`."""
    before = len(faults.found)
    read_fields(CONTENT[kind], content, pointer, faults, elsewhere=ELSEWHERE)
    if kind == Kind.ARTIFACT and ("text" in content) == ("data" in content):
        faults.add(f"{pointer}/text", "An artifact needs either text or data, and not both.")
    if len(faults.found) > before:
        return
    for name, shape in CONTENT[kind].items():
        if isinstance(shape, AnyValue) and name in content and _is_too_long(content[name]):
            faults.add(
                f"{pointer}/{name}",
                f"This field has more than {MAX_FREE_TEXT} characters as text. Record it as several events.",
            )
            return
    if not any(_worded(kind, content)):
        worded = ", ".join(name for name, shape in CONTENT[kind].items() if _has_words(name, shape))
        faults.add(f"{pointer}/text", f"This event has no words to remember. Write at least one of: {worded}.")


def words_of(kind: str, content: Mapping[str, Any]) -> str:
    """The words by which readers find an event, from content that `read` has checked.

    First `text`; without it, the title and the details of a typed record. Then every other field with words, a line for
    each value, in the order of the kind's fields. A value that the text contains is not repeated.
    """
    leading, further = _worded(kind, content)
    lines = [line for name in further for line in _lines(name, content[name])]
    return "\n\n".join([*(content[name] for name in leading), *([rules.cleaned("\n".join(lines))] if lines else [])])


def _worded(kind: str, content: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """The fields with words: those whose value stands as it is, and those that need their name beside it."""
    text = content.get("text") or ""
    leading = ["text"] if text.strip() else [name for name in (TITLES.get(kind), "details") if name]
    further = (name for name, shape in CONTENT[kind].items() if _has_words(name, shape) and name not in leading)
    return (
        [name for name in leading if (content.get(name) or "").strip()],
        [name for name in further if not _is_said(content.get(name), text)],
    )


def _has_words(name: str, shape: Field) -> bool:
    return name not in _CODES and not isinstance(shape, Base64)


def _is_said(value: Any, text: str) -> bool:
    """Whether a value adds no words to the text: it is empty, or the text contains it."""
    if isinstance(value, str):
        said = value.strip()
        return not said or (said in text and re.search(rf"(?<!\w){re.escape(said)}(?!\w)", text) is not None)
    return value is None or value in ({}, [])


def _lines(name: str, value: Any, most: int | None = None) -> list[str]:
    """A field as lines, much as YAML: `name: value`, with the parts of a list or an object indented below its name.

    Stops soon after `most` characters: a body may hold 10 MB.
    """
    lines: list[str] = []
    length = 0
    waiting = [iter([(f"{name}: ", value)])]
    while waiting and (most is None or length <= most):
        indent = "  " * len(waiting)
        for label, one in waiting[-1]:
            if isinstance(one, dict | list | tuple):
                lines.append(label.rstrip())
                length += len(lines[-1]) + 1
                waiting.append(_parts(one, indent))
                break
            lines.append(label + (one if isinstance(one, str) else _constant(one)))
            length += len(lines[-1]) + 1
            if most is not None and length > most:
                break
        else:
            waiting.pop()
    return lines


def _parts(value: Any, indent: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        return ((f"{indent}{key}: ", part) for key, part in value.items())
    return ((f"{indent}- ", part) for part in value)


def _constant(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return str(value)


def _is_too_long(value: Any) -> bool:
    return sum(len(line) + 1 for line in _lines("", value, MAX_FREE_TEXT)) > MAX_FREE_TEXT
