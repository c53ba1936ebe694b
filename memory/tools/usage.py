"""The tool for agents to report the outcome of using a memory."""

import uuid
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from governance.acting.principals import Principal
from governance.inputs import IdField
from governance.tools.declaration import Tool
from memory.api.usage import OutcomeInput, ReportedOutcome, outcome_json


class OutcomeArguments(OutcomeInput):
    also_named: ClassVar[Mapping[str, Sequence[str]]] = {"chunk_id": ("chunk_ids", "items")}

    chunk_id = IdField(help_text="The memory that you used.")


def memory_outcome(principal: Principal, values: dict[str, Any]) -> dict[str, Any]:
    """Record the outcome of `POST /chunks/{id}/outcome`."""
    chunk_id: uuid.UUID = values.pop("chunk_id")
    return outcome_json(principal, chunk_id, values)


TOOLS = [
    Tool(
        name="memory_outcome",
        title="Report the outcome of a memory",
        description="Report whether using a memory was a success or a failure. Use it when you know: memories that"
        " prove useful in several sessions are kept for a long time, misleading ones are not.",
        example={
            "chunk_id": "0198c0de-0000-7000-8000-000000000001",
            "outcome": "success",
            "session_id": "call-17",
            "note": "The refund went to the right account",
        },
        arguments=OutcomeArguments,
        answer=ReportedOutcome,
        call=memory_outcome,
        is_idempotent=True,
        is_camel_case=True,
    )
]
