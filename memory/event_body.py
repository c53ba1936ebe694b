"""The fields of an event's body: in `POST /events`, in a batch, and in a line of a file."""

from typing import Any

from drf_spectacular.utils import PolymorphicProxySerializer, extend_schema_field

from governance import text
from governance.faults import Faults
from governance.inputs import (
    BooleanField,
    ChoiceField,
    DictField,
    IdField,
    ListField,
    PastField,
    StrictSerializer,
    TextField,
)
from governance.models import Channel, Sensitivity
from governance.relations.audience_json import AudienceField
from memory.event_content import CONTENT, ScopeFields, id_field
from memory.models import Event, Kind, Retention

#: Maximum number of tags or references of an event.
MAX_ITEMS = 100
MAX_BATCH = 1_000
SENSITIVITY_HELP = "Default: the tenant's for the channel, which is `none` as shipped."


def retention_field() -> ChoiceField:
    """The retention of a record."""
    return ChoiceField(
        Retention.choices,
        default=Retention.RELATIONSHIP,
        help_text="How long to keep it. An approved erasure can delete it unless it is `committed`.",
    )


def updates_field() -> IdField:
    """The id of an earlier record."""
    return IdField(
        required=False,
        allow_null=True,
        help_text="The event or chunk that this one updates. Readers get it again only if this one is hidden.",
    )


def key_field() -> TextField:
    """The recorder's key of a record."""
    return id_field(
        required=False,
        allow_null=True,
        help_text="Your name for what this says, such as `staging-database`. It updates what you last recorded with"
        " this key about the same subject.",
    )


def check_updates(values: dict[str, Any], pointer: str, faults: Faults) -> None:
    """Add a fault if both `updates` and `key` are given, or one of them for a decision."""
    given = [name for name in ("updates", "key") if values.get(name) is not None]
    if len(given) == 2:
        faults.add(f"{pointer}/key", "Send either updates or key.")
    elif given and values.get("kind") == Kind.DECISION:
        faults.add(f"{pointer}/{given[0]}", "A decision supersedes another one with content.supersedes.")
    elif given and values.get("id") is not None and values["id"] == values.get("updates"):
        faults.add(f"{pointer}/updates", "A record cannot update itself.")


class _EventFields(ScopeFields):
    id = IdField(
        required=False,
        allow_null=True,
        help_text="The id of the event, a UUID that you choose. If you send it again, the event is recorded once.",
    )
    session_id = id_field()
    channel = ChoiceField(Channel.choices)
    actor_type = ChoiceField(Event.ActorType.choices)
    actor_id = id_field()
    sensitivity = ChoiceField(Sensitivity.choices, required=False, help_text=SENSITIVITY_HELP)
    audience = AudienceField()
    retention = retention_field()
    tags = ListField(child=id_field(), max_length=MAX_ITEMS, default=list)
    refs = ListField(child=TextField(text.REFERENCE), max_length=MAX_ITEMS, default=list)
    ts = PastField(
        required=False,
        help_text="When it happened (default: now). Up to a minute ahead counts as now; later is refused.",
    )
    compute_embedding = BooleanField(
        default=True, help_text="Whether a job embeds the event, so that semantic search finds it."
    )
    updates = updates_field()
    key = key_field()

    def check(self, values: dict[str, Any], pointer: str, faults: Faults) -> None:
        """Require at most one way to say what the event updates."""
        check_updates(values, pointer, faults)


class _OfUnknownKind(_EventFields):
    kind = ChoiceField(Kind.choices)
    content = DictField()


_ABOUT_KIND = {
    Kind.MESSAGE: "A message.",
    Kind.TOOL_CALL: "A tool was called.",
    Kind.TOOL_RESULT: "The result of a tool.",
    Kind.DECISION: "A decision, in force until another one supersedes it.",
    Kind.TASK_UPDATE: "A task was opened, or its state changed.",
    Kind.ARTIFACT: "A document: its text, or its bytes as base64 in `data`. Search does not look into the bytes.",
}


def _of_kind(kind: Kind) -> StrictSerializer:
    # A constant, not an enum: the schema would name an enum of one value for each kind.
    constant = extend_schema_field({"type": "string", "const": kind.value})(type("Constant", (ChoiceField,), {}))
    doc = f"{_ABOUT_KIND[kind]} The scope fields can be in the body or in `content`; the body takes precedence."
    fields = {"kind": constant([(kind.value, kind.label)]), "content": CONTENT[kind]}
    name = "".join(word.title() for word in kind.split("_"))
    shape: type[StrictSerializer] = type(
        f"{name}Event", (_EventFields,), {"__doc__": doc, "__module__": __name__, **fields}
    )
    return shape()


BY_KIND = {kind.value: _of_kind(kind) for kind in Kind}
#: For an event whose kind is missing or invalid.
_OF_UNKNOWN_KIND = _OfUnknownKind()
_UNION: dict[str, Any] = {**BY_KIND}
EventInput = PolymorphicProxySerializer("EventInput", _UNION, resource_type_field_name="kind")


@extend_schema_field(PolymorphicProxySerializer("EventInput", _UNION, resource_type_field_name="kind", many=True))
class _Events(ListField):
    pass


class BatchInput(StrictSerializer):
    """`POST /events/batch`."""

    events = _Events(child=DictField(), allow_empty=False, max_length=MAX_BATCH)


def read(body: Any, pointer: str, faults: Faults) -> dict[str, Any]:
    """Read an event's fields; its content is unchanged, but for colours in its text. Adds every error to `faults`; if
    there are any, do not use the values."""
    kind = body.get("kind") if isinstance(body, dict) else None
    shape = BY_KIND.get(kind, _OF_UNKNOWN_KIND) if isinstance(kind, str) else _OF_UNKNOWN_KIND
    values = shape.read(body, pointer, faults)
    if "content" in values:
        values["content"] = body["content"]
        if isinstance(body["content"], dict) and isinstance(said := body["content"].get("text"), str):
            values["content"] = {**body["content"], "text": text.EVENT_TEXT.taken(said)}
    return values
