"""The tools with which an agent corrects or forgets a value in all memory."""

from typing import Any

from rest_framework import serializers

from governance import text
from governance.acting.principals import Principal
from governance.api.shapes import OutcomeOutput, outcome_json
from governance.inputs import StrictSerializer, TextField
from governance.tools.declaration import Tool
from memory.event_content import id_field
from memory.models import Value
from memory.values import proposing
from memory.values.targets import VALUE_TEXT

_VALUE_HELP = "The exact words, as short as they are telling: a code, name, number, address or sentence."


class ForgetArguments(StrictSerializer):
    value = TextField(VALUE_TEXT, help_text=_VALUE_HELP)
    reason = TextField(text.REASON, help_text="Why, for the people who decide. The ledger records it.")
    subject_type = id_field(required=False, help_text="Only in memory about this subject, such as user.")
    subject_id = id_field(required=False)


class CorrectArguments(ForgetArguments):
    to = TextField(VALUE_TEXT, help_text="The right words.")


class ChangedOutput(OutcomeOutput):
    count = serializers.IntegerField(help_text="How many memories said it.")
    by_kind = serializers.DictField(child=serializers.IntegerField())


def _changed(principal: Principal, op: str, values: dict[str, Any]) -> dict[str, Any]:
    reach: dict[str, Any] = {name: values[name] for name in ("subject_type", "subject_id") if name in values}
    found = proposing.preview_value(
        actor=principal, op=op, value=values["value"], to=values.get("to"), reach=reach, reason=values["reason"]
    )
    done = proposing.commit_value(found.token, actor=principal)
    return {**outcome_json(done.outcome), "count": found.count, "by_kind": found.by_kind}


def memory_forget(principal: Principal, values: dict[str, Any]) -> dict[str, Any]:
    """Forget a value in all memory that the agent may read."""
    return _changed(principal, Value.Op.FORGET, values)


def memory_correct(principal: Principal, values: dict[str, Any]) -> dict[str, Any]:
    """Replace a value in all memory that the agent may read."""
    return _changed(principal, Value.Op.REPLACE, values)


TOOLS = [
    Tool(
        name="memory_forget",
        title="Forget a value everywhere",
        description="Remove a phrase from all memory, also that of other agents, and keep it out from now on. Use it"
        " when a person asks to forget or delete something. What you alone recorded changes at once; else a"
        " person decides. Do not repeat the words afterwards.",
        example={"value": "orchid-7", "reason": "Ada asked to delete it"},
        arguments=ForgetArguments,
        answer=ChangedOutput,
        call=memory_forget,
        is_destructive=True,
    ),
    Tool(
        name="memory_correct",
        title="Correct a value everywhere",
        description="Replace a phrase in all memory, also that of other agents. Use it when a fact has changed or was"
        " wrong, such as a name, code or address. What you alone recorded changes at once; else a person decides.",
        example={"value": "orchid-7", "to": "lotus-2", "reason": "The staging database was moved"},
        arguments=CorrectArguments,
        answer=ChangedOutput,
        call=memory_correct,
        is_destructive=True,
    ),
]
