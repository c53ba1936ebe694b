"""The schema of the events that callers send: a union by `kind`. `memory.event_body` reads and checks them."""

from typing import Any

from drf_spectacular.utils import PolymorphicProxySerializer, extend_schema_field
from rest_framework import serializers

from governance.http.serializers import StrictSerializer, serializer_of
from memory import event_body, event_content
from memory.models import Kind

RETENTION_HELP = "Whether an approved erasure may delete it: never if `committed`, else yes."
SENSITIVITY_HELP = "Default: the tenant's for the channel, which is `none` as shipped."
_EVENT_HELP = {
    "id": "The id of the event, a UUID of yours. Sent again, the event is recorded once.",
    "sensitivity": SENSITIVITY_HELP,
    "retention": RETENTION_HELP,
    "compute_embedding": "Whether a job embeds the event, so that search finds it by its meaning too.",
    "ts": "When it happened (default: now); not in the future. Use it for imports.",
}
CONTENT_HELP = {
    "text": "What was said, in words.",
    "lang": "The language of the text: a tag such as `en` or `de-CH`.",
    "data": "Anything that has no field of its own. Search finds its words.",
    "tool": "The name of the tool.",
    "call_id": "The caller's id of the tool call, the same in the call and in its result.",
    "arguments": "What the tool was called with. Search finds its words.",
    "exit_code": "The exit code of a command.",
    "decision": "The statement of the decision.",
    "supersedes": "The decision that this one replaces.",
    "task_id": "The task to update. Without it, the event opens a task.",
    "name": "The name of the artifact, such as a file name.",
    "note": "A remark on the artifact.",
}
_ABOUT_KIND = {
    Kind.MESSAGE: "What somebody said.",
    Kind.TOOL_CALL: "A tool was called.",
    Kind.TOOL_RESULT: "What a tool answered.",
    Kind.DECISION: "A decision, which holds until another one supersedes it.",
    Kind.TASK_UPDATE: "A task was opened, or its state changed.",
    Kind.ARTIFACT: "A document: its text, or its bytes as base64 in `data`. Search does not look into the bytes.",
}


def _event_of(kind: Kind) -> type[StrictSerializer]:
    name = "".join(word.title() for word in kind.split("_"))
    content = serializer_of(
        f"{name}Content",
        event_content.CONTENT[kind],
        doc=f"The content of an event of kind `{kind}`. At least one field must have words.",
        help_texts={**CONTENT_HELP, **({"data": "The bytes, in base64."} if kind == Kind.ARTIFACT else {})},
    )
    common = {field: shape for field, shape in event_body.FIELDS.items() if field not in ("kind", "content")}
    # A constant, not an enum: the schema would name an enum of one value for each kind.
    constant = extend_schema_field({"type": "string", "const": kind.value})(
        type("Constant", (serializers.CharField,), {})
    )
    return serializer_of(
        f"{name}Event",
        common,
        doc=f"{_ABOUT_KIND[kind]} The scope fields can be in the body or in `content`; the body takes precedence.",
        help_texts=_EVENT_HELP,
        further={"kind": constant(), "content": content()},
    )


BY_KIND: dict[str, serializers.Serializer[Any] | type[serializers.Serializer[Any]]] = {
    kind.value: _event_of(kind) for kind in Kind
}
EventInput = PolymorphicProxySerializer("EventInput", BY_KIND, resource_type_field_name="kind")


@extend_schema_field(PolymorphicProxySerializer("EventInput", BY_KIND, resource_type_field_name="kind", many=True))
class _Events(serializers.ListField):
    pass


class BatchInput(StrictSerializer):
    """`POST /events/batch`."""

    events = _Events(allow_empty=False, max_length=event_body.MAX_BATCH)
