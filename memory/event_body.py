"""The fields of an event's body: in `POST /events`, in a batch, in a line of a file."""

from collections.abc import Sequence
from typing import Any

from django.utils import timezone

from governance import text
from governance.body import AnyObject, Choice, Faults, Field, Identity, ListOf, Moment, Text, Truth, read_fields
from governance.models import Channel, Sensitivity
from memory import event_content
from memory.event_content import SCOPE
from memory.models import Event, Kind, Retention

#: How many tags or references an event may have.
MAX_ITEMS = 100
MAX_BATCH = 1_000

_IDENTIFIER = Text(text.IDENTIFIER)

FIELDS: dict[str, Field] = {
    **SCOPE,
    "id": Identity(required=False, nullable=True),
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
    "compute_embedding": Truth(default=True),
}
BATCH: dict[str, Field] = {"events": ListOf(AnyObject(), MAX_BATCH, may_be_empty=False)}


def read(body: Any, pointer: str, faults: Faults) -> dict[str, Any]:
    """The values of an event's fields. Adds every fault to `faults`; if there are any, do not use the values."""
    before = len(faults.found)
    values = read_fields(FIELDS, body, pointer, faults)
    if len(faults.found) > before:
        return values
    if values["ts"] is not None and values["ts"] > timezone.now():
        faults.add(f"{pointer}/ts", "This time is in the future.")
    event_content.read(values["kind"], values["content"], f"{pointer}/content", faults)
    return values


def events_of(body: Any) -> Sequence[Any]:
    """The bodies of the events of a batch. Raises Invalid if the body is not a batch."""
    faults = Faults()
    values = read_fields(BATCH, body, "", faults)
    faults.raise_any()
    events: Sequence[Any] = values["events"]
    return events
