"""The content of an event: the fields of each kind, and the text by which search finds it."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from governance import text as rules
from governance.faults import Faults
from governance.inputs import (
    Base64Field,
    ChoiceField,
    DictField,
    FloatField,
    IdField,
    IntegerField,
    JSONField,
    ListField,
    PatternField,
    StrictSerializer,
    TextField,
)
from memory.models import Kind, Scope, Task

#: Maximum number of entries of a decision's list.
MAX_ITEMS = 100
#: Maximum number of characters of a free field as text.
MAX_FREE_TEXT = rules.EVENT_TEXT.max_length
#: Maximum number of characters of metadata as JSON, and of seconds that a memory lives: a hundred years.
MAX_METADATA = 16_000
MAX_TTL = 100 * 366 * 86_400
SCOPE_FIELDS = ("scope", "subject_type", "subject_id", "project_id")
#: Other systems' names for our fields, for hints in errors.
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


def id_field(**options: Any) -> TextField:
    """An identifier chosen by callers."""
    return TextField(rules.IDENTIFIER, **options)


def _about() -> TextField:
    return id_field(required=False, allow_null=True)


def _data() -> JSONField:
    return JSONField(required=False, help_text="Any other data. Search finds its words.")


def _text() -> TextField:
    return TextField(rules.EVENT_TEXT, required=False, help_text="The text of what was said.")


def _passages() -> ListField:
    return ListField(child=TextField(rules.PASSAGE), max_length=MAX_ITEMS, required=False)


# Not docstrings, which drf-spectacular would show: the subject of a record. Null is the same as absent.
class ScopeFields(StrictSerializer):
    scope = ChoiceField(Scope.choices, required=False, allow_null=True)
    subject_type = _about()
    subject_id = _about()
    project_id = _about()


class _Content(ScopeFields):
    elsewhere = ELSEWHERE
    kind: ClassVar[Kind]
    data: Any  # DRF has a property of this name, which shapes of input do not use

    text = _text()
    lang = PatternField(
        rules.IDENTIFIER,
        r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,4}",
        "a language tag such as en or de-CH",
        required=False,
        help_text="The language of the text: a tag such as `en` or `de-CH`.",
    )

    def check(self, values: dict[str, Any], pointer: str, faults: Faults) -> None:
        """Limit the size of free fields, and require some text."""
        kind = self.kind
        for name, shape in self.fields.items():
            if isinstance(shape, JSONField) and name in values and _is_too_long(values[name]):
                faults.add(
                    f"{pointer}/{name}",
                    f"This field has more than {MAX_FREE_TEXT} characters as text. Record it as several events.",
                )
                return
        if not any(_worded(kind, values)):
            faults.add(
                f"{pointer}/text",
                f"This event has no text to remember. Set at least one of: {', '.join(_WORDED[kind])}.",
            )


def value_field() -> JSONField:
    """The exact value of a memory."""
    return JSONField(required=False, help_text="Any JSON value, returned exactly. Search does not look into it.")


def metadata_field() -> DictField:
    """The metadata of a memory."""
    return DictField(required=False, help_text="Labels by name, to filter by: at most 16,000 characters as JSON.")


def ttl_field() -> FloatField:
    """The time to live of a memory."""
    return FloatField(
        min_value=0.001,
        max_value=MAX_TTL,
        required=False,
        help_text="Seconds from `ts` on, after which nobody reads it any more.",
    )


def check_labels(values: Mapping[str, Any], pointer: str, faults: Faults) -> None:
    """Limit the size of a memory's metadata."""
    if len(json.dumps(values.get("metadata"), ensure_ascii=False)) > MAX_METADATA:
        detail = f"The metadata have more than {MAX_METADATA:,} characters as JSON. Put the data into `value`."
        faults.add(f"{pointer}/metadata", detail)


class MessageContent(_Content):
    """The content of an event of kind `message`. At least one field must have words."""

    kind = Kind.MESSAGE

    data = _data()
    value = value_field()
    metadata = metadata_field()
    ttl = ttl_field()

    def check(self, values: dict[str, Any], pointer: str, faults: Faults) -> None:
        """Limit the size of free fields, and require some text."""
        check_labels(values, pointer, faults)
        super().check(values, pointer, faults)


class _ToolContent(_Content):
    tool = id_field(required=False, help_text="The name of the tool.")
    call_id = id_field(
        required=False, help_text="The caller's id of the tool call, the same in the call and in its result."
    )


class ToolCallContent(_ToolContent):
    """The content of an event of kind `tool_call`. At least one field must have words."""

    kind = Kind.TOOL_CALL

    arguments = JSONField(
        required=False, help_text="The arguments of the tool call, any JSON. Search finds their words."
    )
    data: Any = _data()


class ToolResultContent(_ToolContent):
    """The content of an event of kind `tool_result`. At least one field must have words."""

    kind = Kind.TOOL_RESULT

    exit_code = IntegerField(
        min_value=-(2**31), max_value=2**31 - 1, required=False, help_text="The exit code of a command."
    )
    data: Any = _data()


class DecisionContent(_Content):
    """The content of an event of kind `decision`. At least one field must have words."""

    kind = Kind.DECISION

    decision = TextField(rules.STATEMENT, help_text="The statement of the decision.")
    rationale = _passages()
    constraints = _passages()
    alternatives = _passages()
    supersedes = IdField(required=False, allow_null=True, help_text="The decision that this one replaces.")
    data = _data()


class TaskUpdateContent(_Content):
    """The content of an event of kind `task_update`. At least one field must have words."""

    kind = Kind.TASK_UPDATE

    task_id = IdField(
        required=False, allow_null=True, help_text="The task to update. Without it, the event opens a task."
    )
    title = id_field()
    details = TextField(rules.EVENT_TEXT, required=False)
    status = ChoiceField(Task.Status.choices)
    data = _data()


class ArtifactContent(_Content):
    """The content of an event of kind `artifact`. At least one field must have words."""

    kind = Kind.ARTIFACT

    name = id_field(help_text="The name of the artifact, such as a file name.")
    media_type = PatternField(
        rules.IDENTIFIER,
        r"""[\w.+-]+/[\w.+-]+( *; *[\w-]+=("[^"]*"|[\w.+-]+))*""",
        "a media type such as text/markdown",
    )
    note = TextField(rules.EVENT_TEXT, required=False, help_text="A note about the artifact.")
    data = Base64Field(required=False, help_text="The bytes, in base64.")

    def check(self, values: dict[str, Any], pointer: str, faults: Faults) -> None:
        """Require either text or bytes."""
        if ("text" in values) == ("data" in values):
            faults.add(f"{pointer}/text", "An artifact needs either text or data, but not both.")
        else:
            super().check(values, pointer, faults)


#: The content by kind. Any other field is refused: other data goes into `data`.
CONTENT: dict[str, _Content] = {
    one.kind: one()
    for one in (
        MessageContent,
        ToolCallContent,
        ToolResultContent,
        DecisionContent,
        TaskUpdateContent,
        ArtifactContent,
    )
}
#: The field that names a typed record.
TITLES: dict[str, str] = {Kind.DECISION: "decision", Kind.TASK_UPDATE: "title", Kind.ARTIFACT: "name"}
#: Fields that are codes: they have their own filters, or are useless for search.
_CODES = {*SCOPE_FIELDS, "lang", "status", "task_id", "supersedes", "media_type", "value", "metadata", "ttl"}
#: By kind, the fields with text.
_WORDED = {
    kind: [name for name, field in content.fields.items() if name not in _CODES and not isinstance(field, Base64Field)]
    for kind, content in CONTENT.items()
}


def words_of(kind: str, content: Mapping[str, Any]) -> str:
    """The text by which readers find an event, from validated content.

    First `text`, or without it the title and the details of a typed record. Then every other field with text, one line
    per value, in the order of the kind's fields. A value that the text contains is not repeated.
    """
    leading, further = _worded(kind, content)
    lines = [line for name in further for line in _lines(name, content[name])]
    return "\n\n".join([*(content[name] for name in leading), *([rules.cleaned("\n".join(lines))] if lines else [])])


def words_of_value(value: Any) -> str:
    """The words of a JSON value as lines, for a memory that has no other text."""
    if isinstance(value, str):
        return rules.cleaned(value)
    lines = _lines("value", value)
    return rules.cleaned("\n".join(line.removeprefix("  ") for line in (lines[1:] if len(lines) > 1 else lines)))


def _worded(kind: str, content: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """The fields with text: those whose value is used as it is, and those that need their name in front of it."""
    text = content.get("text") or ""
    leading = ["text"] if text.strip() else [name for name in (TITLES.get(kind), "details") if name]
    further = (name for name in _WORDED[kind] if name not in leading)
    return (
        [name for name in leading if (content.get(name) or "").strip()],
        [name for name in further if not _is_said(content.get(name), text)],
    )


def _is_said(value: Any, text: str) -> bool:
    """Whether a value adds nothing to the text: it is empty, or the text contains it."""
    if isinstance(value, str):
        said = value.strip()
        return not said or (said in text and re.search(rf"(?<!\w){re.escape(said)}(?!\w)", text) is not None)
    return value is None or value in ({}, [])


def _lines(name: str, value: Any, most: int | None = None) -> list[str]:
    """A field as lines, similar to YAML: `name: value`, with the parts of a list or an object indented below its name.

    Stops soon after `most` characters: a body may have 10 MB.
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
