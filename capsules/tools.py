"""The tools for agents to hand over memory."""

import uuid
from typing import Any

from capsules import queries
from capsules.api import shapes
from capsules.api.views import created_json, forwarded_json, listed_json
from capsules.services.handover import MAX_ITEMS
from governance.acting.principals import Principal
from governance.http.pagination import PageRequest, page_shape
from governance.inputs import BooleanField, CharField, ChoiceField, IdField, IntegerField, StrictSerializer
from governance.tools import registry
from governance.tools.budget import max_tokens_field
from governance.tools.declaration import Tool
from memory.event_content import id_field
from memory.models import Scope

_CAPSULE = "0198c0de-0000-7000-8000-000000000002"
_CHUNK = "0198c0de-0000-7000-8000-000000000001"


class CreateArguments(shapes.CapsuleInput):
    scope = ChoiceField(Scope.choices, default=Scope.USER)


class ListArguments(StrictSerializer):
    authored = BooleanField(default=False, help_text="Your own capsules, in every status.")
    subject_type = id_field(required=False)
    subject_id = id_field(required=False, help_text="Only capsules about this subject.")
    limit = IntegerField(min_value=1, max_value=200, default=20)
    max_tokens = max_tokens_field()
    cursor = CharField(required=False, help_text="next of the previous result, with the same other arguments.")


class OpenArguments(StrictSerializer):
    capsule_id = IdField()
    offset = IntegerField(min_value=0, max_value=MAX_ITEMS, default=0, help_text="Skip so many of its items.")
    limit = IntegerField(min_value=1, max_value=MAX_ITEMS, default=20, help_text="Maximum number of items.")
    max_tokens = max_tokens_field()


class ForwardArguments(shapes.ForwardInput):
    capsule_id = IdField(help_text="A capsule that you received, with may_forward.")


def listed(principal: Principal, values: dict[str, Any]) -> dict[str, Any]:
    """Return the list of `GET /capsules`."""
    filters = {name: values.get(name) for name in (*queries.FILTERS, "authored")}
    return listed_json(PageRequest.of_tool(principal, "list_capsules", values), filters)


def opened(principal: Principal, values: dict[str, Any]) -> dict[str, Any]:
    """Return the capsule of `GET /capsules/{id}`, with some of its items."""
    capsule = queries.read(principal, values["capsule_id"])
    items = [(kind, item) for kind, listed in capsule["items"].items() for item in listed]
    first, last = values["offset"], values["offset"] + values["limit"]
    if not first and len(items) <= last:
        return capsule
    shown = items[first:last]
    more = f" Call again with offset {last} for the next." if last < len(items) else ""
    detail = f"These are {len(shown)} of {len(items)} items, from item {first + 1} on.{more}"
    return {
        **capsule,
        "items": {kind: [item for of, item in shown if of == kind] for kind in capsule["items"]},
        "notices": [{"code": "more_items", "detail": detail}],
    }


def forwarded(principal: Principal, values: dict[str, Any]) -> dict[str, Any]:
    """Forward a capsule, as `POST /capsules/{id}/forward` does."""
    capsule_id: uuid.UUID = values.pop("capsule_id")
    return forwarded_json(principal, capsule_id, values)


TOOLS = [
    Tool(
        name="create_capsule",
        title="Hand over memory",
        description="Hand selected memories about a subject to other agents, until a date. Use it when another agent"
        " takes over your work. Find the ids with search_memory.",
        example={
            "subject_type": "user",
            "subject_id": "jack-doe-123",
            "audience_agent_ids": ["agent-bob"],
            "items": {"chunks": [_CHUNK]},
            "note": "Call him on Monday",
        },
        arguments=CreateArguments,
        answer=shapes.NewCapsuleOutput,
        call=created_json,
    ),
    Tool(
        name="list_capsules",
        title="List capsules",
        description="See which capsules other agents have given to you. Use it when you begin a task that another"
        " agent worked on, then open_capsule.",
        example={"subject_type": "user", "subject_id": "jack-doe-123"},
        arguments=ListArguments,
        answer=page_shape("CapsulePage", shapes.ListedCapsuleOutput),
        call=listed,
        read_on="To read a capsule in full, call open_capsule.",
        is_read_only=True,
    ),
    Tool(
        name="open_capsule",
        title="Open a capsule",
        description="Read a capsule that you received: its note, its risks and its current memories.",
        example={"capsule_id": _CAPSULE},
        arguments=OpenArguments,
        answer=shapes.CapsuleOutput,
        call=opened,
        read_on="To read an item in full, call open_capsule with its offset, limit 1 and a larger max_tokens.",
        is_read_only=True,
    ),
    Tool(
        name="forward_capsule",
        title="Forward a capsule",
        description="Give a capsule that you received, or some of its items, to other agents. Requires may_forward.",
        example={"capsule_id": _CAPSULE, "audience_agent_ids": ["agent-charlie"]},
        arguments=ForwardArguments,
        answer=shapes.NewCapsuleOutput,
        call=forwarded,
    ),
]


def register() -> None:
    """Register the tools of capsules."""
    registry.register(*TOOLS)
