"""The tool that returns what an agent should know before a turn."""

from typing import Any

from governance import text
from governance.acting.principals import Principal
from governance.inputs import ChoiceField, IntegerField, StrictSerializer, TextField, defaults_of
from governance.models import Channel
from governance.tools.declaration import Tool
from memory.api.context import BuildInput, TextBundleOutput, built_json
from memory.api.shapes import also_from_field
from memory.event_content import id_field


class ContextArguments(StrictSerializer):
    session_id = id_field(help_text="The current conversation.")
    query = TextField(
        text.TOPIC, required=False, help_text="The topic of the turn. Default: the last message of a person."
    )
    max_tokens = IntegerField(
        min_value=256, max_value=1_000_000, default=4_000, help_text="Maximum number of tokens of the text."
    )
    subject_type = id_field(required=False, help_text="The type of the turn's subject, such as user. Needs subject_id.")
    subject_id = id_field(required=False)
    project_id = id_field(required=False)
    channel = ChoiceField(
        Channel.choices, required=False, help_text="Who listens. Default: the most private one of your key."
    )
    also_from = also_from_field()


def build(principal: Principal, values: dict[str, Any]) -> dict[str, Any]:
    """Return the bundle of `POST /acb/build` as text."""
    channel = values.get("channel") or principal.default_channel()
    return built_json(principal, {**defaults_of(BuildInput), **values, "channel": channel, "format": "text"})


TOOLS = [
    Tool(
        name="build_context",
        title="Build the context of a turn",
        description="Get everything that you should know before your next turn, as one text within a token budget:"
        " rules, decisions, tasks, the recent conversation, capsules and evidence. Put its text into your context.",
        example={"session_id": "call-17", "query": "Jack's refund", "max_tokens": 2000},
        arguments=ContextArguments,
        answer=TextBundleOutput,
        call=build,
        is_read_only=True,
    )
]
