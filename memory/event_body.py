"""The fields of an event's body: in `POST /events`, in a batch, in a line of a file."""

import base64
import binascii
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.utils import timezone

from governance import text
from governance.body import AnyObject, Choice, Faults, Field, Identity, ListOf, Moment, Text, read_fields
from governance.models import Channel, Sensitivity
from memory.models import Event, Kind, Retention, Scope, Task

#: How many tags, references, or entries of a list in the content an event may have.
MAX_ITEMS = 100
MAX_BATCH = 1_000
SCOPE_FIELDS = ("scope", "subject_type", "subject_id", "project_id")

_IDENTIFIER = Text(text.IDENTIFIER)
_ABOUT = replace(_IDENTIFIER, required=False, nullable=True)

#: What a record is about. Null is the same as absent.
SCOPE: dict[str, Field] = {
    "scope": Choice(Scope.choices, required=False, nullable=True),
    "subject_type": _ABOUT,
    "subject_id": _ABOUT,
    "project_id": _ABOUT,
}
FIELDS: dict[str, Field] = {
    **SCOPE,
    "session_id": _IDENTIFIER,
    "channel": Choice(Channel.choices),
    "actor_type": Choice(Event.ActorType.choices),
    "actor_id": _IDENTIFIER,
    "kind": Choice(Kind.choices),
    "sensitivity": Choice(Sensitivity.choices, required=False),
    "retention": Choice(Retention.choices, required=False, default=Retention.RELATIONSHIP),
    "tags": ListOf(_IDENTIFIER, MAX_ITEMS, required=False, default=()),
    "refs": ListOf(Text(text.REFERENCE), MAX_ITEMS, required=False, default=()),
    "content": AnyObject(),
    "ts": Moment(required=False),
}
BATCH: dict[str, Field] = {"events": ListOf(AnyObject(), MAX_BATCH, may_be_empty=False)}


@dataclass(frozen=True)
class _Base64(Field):
    required: bool = False
    nullable: bool = False
    default: Any = None

    def read(self, value: Any, pointer: str, faults: Faults) -> Any:
        if not isinstance(value, str):
            faults.add(pointer, text.NO_TEXT)
        elif not value:
            faults.add(pointer, text.BLANK)
        else:
            try:
                base64.b64decode(value, validate=True)
            except (binascii.Error, ValueError):
                faults.add(pointer, "Not base64.")
        return value


@dataclass(frozen=True)
class _MediaType(Text):
    def read(self, value: Any, pointer: str, faults: Faults) -> Any:
        if fault := self.rule.fault_in(value):
            faults.add(pointer, fault)
        elif not re.fullmatch(r"[\w.+-]+/[\w.+-]+(;.*)?", value.strip()):
            faults.add(pointer, "This value does not match the required pattern.")
        return value


_PASSAGES = ListOf(Text(text.PASSAGE), MAX_ITEMS, required=False)
_KNOWN: dict[str, Field] = {"text": Text(text.EVENT_TEXT, required=False), **SCOPE}
#: The fields of the content that Suture reads, by kind. Any other field is kept unchanged.
CONTENT: dict[str, dict[str, Field]] = {
    Kind.DECISION: {
        **_KNOWN,
        "decision": Text(text.STATEMENT),
        "rationale": _PASSAGES,
        "constraints": _PASSAGES,
        "alternatives": _PASSAGES,
        "supersedes": Identity(required=False, nullable=True),
    },
    Kind.TASK_UPDATE: {
        **_KNOWN,
        "task_id": Identity(required=False, nullable=True),
        "title": _IDENTIFIER,
        "details": Text(text.EVENT_TEXT, required=False),
        "status": Choice(Task.Status.choices),
    },
    Kind.ARTIFACT: {
        **_KNOWN,
        "name": _IDENTIFIER,
        "media_type": _MediaType(text.IDENTIFIER),
        "data": _Base64(),
    },
}


def read(body: Any, pointer: str, faults: Faults) -> dict[str, Any]:
    """The values of an event's fields. Adds every fault to `faults`; if there are any, do not use the values."""
    before = len(faults.found)
    values = read_fields(FIELDS, body, pointer, faults)
    if len(faults.found) > before:
        return values
    if values["ts"] is not None and values["ts"] > timezone.now():
        faults.add(f"{pointer}/ts", "This time is in the future.")
    content, kind, place = values["content"], values["kind"], f"{pointer}/content"
    read_fields(CONTENT.get(kind, _KNOWN), content, place, faults, strict=False)
    if kind == Kind.ARTIFACT and ("text" in content) == ("data" in content):
        faults.add(f"{place}/text", "An artifact needs either text or data, and not both.")
    return values


def events_of(body: Any) -> Sequence[Any]:
    """The bodies of the events of a batch. Raises Invalid if the body is not a batch."""
    faults = Faults()
    values = read_fields(BATCH, body, "", faults)
    faults.raise_any()
    events: Sequence[Any] = values["events"]
    return events
