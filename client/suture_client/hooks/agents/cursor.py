"""Payloads and context of Cursor.

Formats: https://cursor.com/docs/hooks. docs/capture-agents.md describes how Cursor uses them.
"""

import json
from typing import Any

from suture_client.hooks.hook_call import (
    POST_TOOL_USE,
    PRE_TOOL_USE,
    SESSION_END,
    SESSION_START,
    STOP,
    SUBAGENT_STOP,
    USER_PROMPT_SUBMIT,
    HookCall,
    text,
)

#: Cursor's event names. The response is in `afterAgentResponse`, not in `stop`. The hooks of single tools
#: (`beforeShellExecution`, `afterFileEdit`, ...) repeat those of all tools.
EVENTS = {
    "sessionStart": SESSION_START,
    "beforeSubmitPrompt": USER_PROMPT_SUBMIT,
    "preToolUse": PRE_TOOL_USE,
    "postToolUse": POST_TOOL_USE,
    "postToolUseFailure": POST_TOOL_USE,
    "afterAgentResponse": STOP,
    "subagentStop": SUBAGENT_STOP,
    "sessionEnd": SESSION_END,
}


def read(payload: dict[str, Any]) -> HookCall | None:
    """Convert a payload into a call; None for an event that is not captured."""
    name = text(payload.get("hook_event_name"))
    if name not in EVENTS:
        return None
    output = _from_json(payload.get("tool_output"))
    if name == "postToolUseFailure":
        output = {"error": payload.get("error_message")}
    return HookCall(
        agent="cursor",
        event=EVENTS[name],
        session_id=text(payload.get("conversation_id")) or text(payload.get("session_id")),
        cwd=text(payload.get("cwd")) or _first(payload.get("workspace_roots")),
        tool_name=text(payload.get("tool_name")),
        tool_use_id=text(payload.get("tool_use_id")),
        tool_input=_from_json(payload.get("tool_input")),
        tool_output=output,
        prompt=text(payload.get("prompt")),
        description=text(payload.get("agent_message")),
        response=text(payload.get("text")) or text(payload.get("summary")),
        reason=text(payload.get("reason")) or text(payload.get("composer_mode")),
        identity=text(payload.get("generation_id")),
    )


def context(event: str, text: str) -> str:
    """Return the JSON response with which Cursor adds the text to a new session's context. Cursor accepts no context
    for other events: for these, return ""."""
    return json.dumps({"additional_context": text}) if event == SESSION_START else ""


def _from_json(value: Any) -> Any:
    """Parse a value that may be JSON text: Cursor encodes tool outputs and MCP inputs so."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except ValueError:
        return value


def _first(values: Any) -> str:
    return text(values[0]) if isinstance(values, list) and values else ""
