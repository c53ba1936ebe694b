"""The tool to record what happened."""

import uuid
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema_serializer

from governance import text
from governance.acting.principals import Principal
from governance.inputs import ChoiceField, ListField, StrictSerializer, TextField
from governance.models import Channel, Sensitivity
from governance.relations import audience_json
from governance.relations.audience_json import AudienceArgument
from governance.tools.declaration import Tool
from memory import event_content
from memory.api import shapes
from memory.api.events import recorded_json
from memory.event_body import MAX_ITEMS, retention_field
from memory.event_content import id_field
from memory.models import Event, Kind, Scope


@extend_schema_serializer(exclude_fields=event_content.SCOPE_FIELDS)
class ContentArguments(StrictSerializer):
    """The content of an event of any kind: requirements of its kind are checked when the event is read."""

    #: Other systems' names for its fields, for hints in errors.
    elsewhere: ClassVar[Mapping[str, Sequence[str]]] = event_content.ELSEWHERE

    def get_fields(self) -> dict[str, Any]:
        """The fields of every kind. Those of the scope are not in the schema, which has them next to the content."""
        found: dict[str, Any] = {}
        for content in event_content.CONTENT.values():
            for name, field in content.get_fields().items():
                if name not in found:
                    found[name] = field
                    field.required, field.help_text = False, _help_of(name, str(field.help_text or ""))
        return found


def _help_of(name: str, help_text: str) -> str | None:
    """The description of a field, with the kinds that have it if not all do."""
    kinds = [kind.value for kind in Kind if name in event_content.CONTENT[kind].fields]
    if name == "data":
        return f"{help_text} artifact: the bytes, in base64."
    if len(kinds) == len(Kind):
        return help_text or None
    return f"{', '.join(kinds)}: {help_text}".rstrip(": ")


class RecordArguments(StrictSerializer):
    session_id = id_field(
        help_text="The conversation or run that it belongs to. Use one id for the whole conversation."
    )
    kind = ChoiceField(Kind.choices)
    content = ContentArguments(
        help_text="What was said or done. message: text. decision: decision. task_update: title, status. artifact:"
        " name, media_type, and text or data. tool_call and tool_result: tool, and arguments, text or data."
    )
    subject_type = id_field(required=False, help_text="What it is about, such as user. Needs subject_id.")
    subject_id = id_field(required=False, help_text="The id of the subject.")
    project_id = id_field(required=False)
    scope = ChoiceField(
        Scope.choices,
        required=False,
        help_text="Default: user with a subject, project with a project, else session; of a decision policy.",
    )
    actor_type = ChoiceField(
        Event.ActorType.choices, required=False, help_text="The type of who said or did it. Default: you."
    )
    actor_id = id_field(required=False, help_text="The name of who said or did it. Default: yours.")
    channel = ChoiceField(
        Channel.choices, required=False, help_text="Who may read it. Default: the most private one of your key."
    )
    sensitivity = ChoiceField(Sensitivity.choices, required=False)
    audience = AudienceArgument()
    retention = retention_field()
    tags = ListField(child=id_field(), max_length=MAX_ITEMS, required=False)
    refs = ListField(
        child=TextField(text.REFERENCE),
        max_length=MAX_ITEMS,
        required=False,
        help_text="Links and ids that it refers to.",
    )


def record(principal: Principal, values: dict[str, Any]) -> dict[str, Any]:
    """Record one event, by default with the caller as the actor."""
    own = {
        "actor_type": Event.ActorType.HUMAN if principal.kind == "human" else Event.ActorType.AGENT,
        "actor_id": principal.name,
    }
    # The event is read like any other, from plain JSON.
    content = {name: str(one) if isinstance(one, uuid.UUID) else one for name, one in values["content"].items()}
    channel = values.get("channel") or principal.default_channel()
    audience = values.pop("audience", None)
    if audience is not None:
        values = {**values, "audience": audience_json.render(audience) or audience_json.DEFAULT}
    return recorded_json(principal, {**own, **values, "channel": channel, "content": content})


TOOLS = [
    Tool(
        name="record_event",
        title="Record an event",
        description="Record what just happened, word for word: a message, a tool call or its result, a decision, a task"
        " or a document. Search finds it later. For a fact that you want to keep in your own words, use memory_commit.",
        example={
            "session_id": "call-17",
            "kind": "decision",
            "content": {"decision": "Refund by bank transfer", "rationale": ["The card has expired"]},
            "subject_type": "user",
            "subject_id": "jack-doe-123",
        },
        arguments=RecordArguments,
        answer=shapes.RecordedOutput,
        call=record,
        is_basic=True,
    )
]
