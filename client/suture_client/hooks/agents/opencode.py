"""Payloads and context of OpenCode, sent by the plugin that `suture install-hooks --agent opencode` writes.

OpenCode runs no commands. The plugin (suture_client/installing/hooks/opencode.js) passes OpenCode's values on, with the
hook's name. Formats: https://opencode.ai/docs/plugins and the types of @opencode-ai/plugin; recorded with OpenCode
1.18.33. docs/capture-agents.md describes how OpenCode uses them.
"""

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

#: The plugin's hooks and OpenCode's events.
EVENTS = {
    "session.created": SESSION_START,
    "chat.message": USER_PROMPT_SUBMIT,
    "tool.execute.before": PRE_TOOL_USE,
    "tool.execute.after": POST_TOOL_USE,
    "session.idle": STOP,
    "dispose": SESSION_END,
}


def read(payload: dict[str, Any]) -> HookCall | None:
    """Convert a message of the plugin into a call; None for an event that is not captured."""
    event = EVENTS.get(text(payload.get("hook")))
    if event is None:
        return None
    given, answer = _object(payload, "input"), _object(payload, "output")
    session = text(payload.get("sessionID")) or text(given.get("sessionID"))
    if event == STOP and (parent := text(payload.get("parentID"))):
        # A subagent has its own session. Its answer belongs to the parent session.
        event, session = SUBAGENT_STOP, parent
    return HookCall(
        agent="opencode",
        event=event,
        session_id=session,
        cwd=text(payload.get("directory")),
        tool_name=text(given.get("tool")),
        tool_use_id=text(given.get("callID")),
        tool_input=given.get("args", answer.get("args")),
        tool_output=answer.get("output"),
        prompt=_prompt(answer.get("parts")),
        response=text(payload.get("text")),
        reason=text(payload.get("reason")),
        identity=text(payload.get("messageID")) or text(_object(answer, "message").get("id")),
    )


def context(event: str, text: str) -> str:
    """Return the text unchanged: the plugin adds it to the system prompt."""
    return text


def _object(value: dict[str, Any], name: str) -> dict[str, Any]:
    found = value.get(name)
    return found if isinstance(found, dict) else {}


def _prompt(parts: Any) -> str:
    """Return the user's text, without files and without text that OpenCode added."""
    texts = [
        text(part.get("text"))
        for part in (parts if isinstance(parts, list) else [])
        if isinstance(part, dict) and part.get("type") == "text" and not part.get("synthetic")
    ]
    return "\n".join(one for one in texts if one)
