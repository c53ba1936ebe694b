"""Call a tool: check its arguments, and name faults by the caller's arguments."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from governance.acting.principals import Principal
from governance.faults import Faults, invalid
from governance.http.permissions import MayWrite
from governance.refusals import Forbidden, Refusal
from governance.tools import spelling
from governance.tools.declaration import Tool
from suture_client.text.invisible import drop_invisible_in


@dataclass(frozen=True, slots=True)
class Called:
    """The answer of a tool, and the seconds to wait for a better one."""

    answer: Mapping[str, Any]
    wait_seconds: float = 0


def call_tool(tool: Tool, given: Any, *, actor: Principal) -> Called:
    """Call `tool` with the arguments `given`, a JSON object, in the open transaction.

    Raises Forbidden for an auditor whose call would change something; Invalid with every fault of the arguments, at its
    place in `given`; and the refusals of the tool, with their places in `given`.
    """
    if not (tool.is_read_only or actor.may_write):
        raise Forbidden(MayWrite.message)
    shape = tool.arguments()
    written = spelling.read(given, shape, in_camel_case=tool.is_camel_case)
    faults = Faults()
    values = shape.read(written.values, "", faults)
    if found := [*written.faults, *written.as_written(faults.found)]:
        raise invalid(found)
    try:
        answer = tool.call(actor, values)
    except Refusal as refusal:
        refusal.errors = written.as_written(refusal.errors)
        raise
    # a model reads the answer, and a person does not see what it hides
    return Called(drop_invisible_in(answer), tool.wait(values, answer) if tool.wait else 0)
