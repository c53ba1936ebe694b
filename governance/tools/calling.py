"""Call a tool: check its arguments, and name faults by the caller's arguments."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from governance.acting.principals import Principal
from governance.faults import SHOWN_AT_MOST
from governance.http.permissions import MayWrite
from governance.refusals import Forbidden, Refusal
from governance.tools import budget, reading
from governance.tools.declaration import Tool
from suture_client.text.invisible import drop_invisible_in

#: The ignored arguments that a notice names.
_NAMED_AT_MOST = 10


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
    written = reading.read(given, tool.arguments(), in_camel_case=tool.is_camel_case)
    values = written.checked()
    max_tokens: int | None = values.pop("max_tokens") if tool.read_on else None
    if max_tokens and "limit" in values:
        values["limit"] = min(values["limit"], budget.results_within(max_tokens))
    try:
        answer = tool.call(actor, values)
    except Refusal as refusal:
        refusal.errors = written.as_written(refusal.errors)
        raise
    # a model reads the answer, and a person does not see what it hides
    shown: dict[str, Any] = drop_invisible_in(dict(answer))
    notices = [_ignored(written.ignored)] if written.ignored else []
    if max_tokens and (number := budget.fit(shown, max_tokens)):
        notices.append(_was_cut(number, max_tokens, tool))
    if notices:
        shown["notices"] = [*shown.get("notices", ()), *notices]
    return Called(shown, tool.wait(values, answer) if tool.wait else 0)


def _ignored(names: list[str]) -> dict[str, str]:
    """The notice of arguments that the tool does not have."""
    shown = ", ".join(name[:SHOWN_AT_MOST] for name in names[:_NAMED_AT_MOST])
    others = f" and {len(names) - _NAMED_AT_MOST} others" if len(names) > _NAMED_AT_MOST else ""
    return {"code": "ignored_arguments", "detail": f"This tool has no arguments {shown}{others}: they were ignored."}


def _was_cut(number: int, max_tokens: int, tool: Tool) -> dict[str, str]:
    """The notice of texts that did not fit."""
    what = "1 long text was" if number == 1 else f"{number} long texts were"
    return {"code": "cut", "detail": f"{what} cut to fit max_tokens ({max_tokens}). {tool.read_on}"}
