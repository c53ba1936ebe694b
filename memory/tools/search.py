"""The tools that find memory."""

import uuid
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from governance import text
from governance.acting.principals import Principal
from governance.http.pagination import PageRequest
from governance.inputs import (
    BooleanField,
    CharField,
    ChoiceField,
    IdField,
    IntegerField,
    StrictSerializer,
    TextField,
    defaults_of,
)
from governance.models import Channel
from governance.tools.budget import max_tokens_field
from governance.tools.declaration import Tool
from memory.api import shapes
from memory.api.chunks import timeline_json
from memory.api.search import ConditionFields, FilterFields, SearchInput, SearchOutput, searched_json
from memory.event_content import id_field

_CHANNEL_HELP = "Who will read it: returns only memory for this channel. Default: every channel of your key."


_READ_ON = (
    "To read a memory in full, call timeline with its chunk_id, window_seconds 0, limit 1 and a larger max_tokens."
)


class UsualArguments(StrictSerializer):
    """What a model sets most often. It reads the first properties of a schema first."""

    query = TextField(
        text.QUERY,
        help_text='A question in plain words, or conditions: "a phrase", one OR other, -without, begin*.',
    )
    limit = IntegerField(min_value=1, max_value=200, default=10)
    subject_type = id_field(required=False, help_text="Only memory about subjects of this type, such as user.")
    subject_id = id_field(required=False, help_text="Only memory about this subject.")
    project_id = id_field(required=False)
    session_id = id_field(required=False, help_text="Only memory that was recorded in this session.")
    include_quarantined = BooleanField(
        default=False, help_text="Include doubtful memory. Without permission: only with your own name as recorder."
    )
    include_archived = BooleanField(default=False, help_text="Include memory that nobody used for a long time.")
    channel = ChoiceField(Channel.choices, required=False, help_text=_CHANNEL_HELP)
    max_tokens = max_tokens_field()
    cursor = CharField(required=False, help_text="next of the previous result, with the same other arguments.")


class SearchArguments(UsualArguments, ConditionFields, FilterFields):
    """The arguments of `search_memory`, those of UsualArguments first."""


def search(principal: Principal, values: dict[str, Any]) -> dict[str, Any]:
    """Run the search of `POST /chunks/search`, with defaults for everything that models do not set."""
    return searched_json(principal, {**defaults_of(SearchInput), **values})


class TimelineArguments(StrictSerializer):
    also_named: ClassVar[Mapping[str, Sequence[str]]] = {"chunk_id": ("chunk_ids", "items")}

    chunk_id = IdField(help_text="The memory in the middle.")
    window_seconds = IntegerField(
        min_value=0, max_value=366 * 86_400, default=3600, help_text="How many seconds to look before and after it."
    )
    limit = IntegerField(min_value=1, max_value=200, default=20)
    channel = ChoiceField(Channel.choices, required=False, help_text=_CHANNEL_HELP)
    max_tokens = max_tokens_field()
    cursor = CharField(required=False, help_text="next of the previous result, with the same other arguments.")


def timeline(principal: Principal, values: dict[str, Any]) -> dict[str, Any]:
    """Return the timeline of `GET /chunks/{id}/timeline`."""
    chunk_id: uuid.UUID = values["chunk_id"]
    return timeline_json(
        PageRequest.of_tool(principal, "timeline", values),
        chunk_id,
        window_seconds=values["window_seconds"],
        channel=values.get("channel"),
        include_quarantined=False,
    )


TOOLS = [
    Tool(
        name="search_memory",
        title="Search memory",
        description="Find anything that was recorded in the tenant: messages, decisions, documents. Use it before you"
        " answer a question about the past. For your own committed memories, memory_recall is better.",
        example={"query": "Which refund did Jack ask for?", "limit": 5},
        arguments=SearchArguments,
        answer=SearchOutput,
        call=search,
        read_on=_READ_ON,
        is_basic=True,
        is_read_only=True,
        enters_each_statement=True,
    ),
    Tool(
        name="timeline",
        title="Memory around a moment",
        description="See what was recorded shortly before and after one memory. Use it when a search result needs its"
        " context.",
        example={"chunk_id": "0198c0de-0000-7000-8000-000000000001", "window_seconds": 600},
        arguments=TimelineArguments,
        answer=shapes.TimelineOutput,
        call=timeline,
        read_on=_READ_ON,
        is_read_only=True,
        enters_each_statement=True,
    ),
]
