"""Payloads and context of Claude Code.

Formats: https://code.claude.com/docs/en/hooks
"""

import json
from typing import Any

from suture_client.hooks.hook_call import EVENTS, POST_TOOL_USE, SUBAGENT_STOP, HookCall, lines_within, text

#: Characters of a hook's output that reach the model. Claude Code writes longer output to a file.
LIMIT = 10_000


def read(payload: dict[str, Any]) -> HookCall | None:
    """Convert a payload into a call; None for an event that is not captured."""
    if "cursor_version" in payload:
        # Cursor can run Claude Code's hooks too, but its own hooks capture the same events.
        return None
    event = text(payload.get("hook_event_name"))
    output = payload.get("tool_response", payload.get("tool_output"))
    if event == "PostToolUseFailure":
        event, output = POST_TOOL_USE, {"error": payload.get("error")}
    if event not in EVENTS:
        return None
    transcript = payload.get("transcript_path")
    if event == SUBAGENT_STOP:
        transcript = payload.get("agent_transcript_path") or transcript
    # The subagents of one prompt share its id.
    ids = [text(payload.get(name)) for name in ("prompt_id", "agent_id")]
    return HookCall(
        agent="claude-code",
        event=event,
        session_id=text(payload.get("session_id")),
        cwd=text(payload.get("cwd")),
        tool_name=text(payload.get("tool_name")),
        tool_use_id=text(payload.get("tool_use_id")),
        tool_input=payload.get("tool_input"),
        tool_output=output,
        prompt=text(payload.get("prompt")),
        description=text(payload.get("description")),
        response=_first(payload, "response", "last_assistant_message", "summary", "session_summary"),
        transcript_path=text(transcript),
        reason=_first(payload, "reason", "source"),
        identity=" ".join(one for one in ids if one),
    )


def context(event: str, text: str) -> str:
    """Return the text unchanged: Claude Code adds the output of SessionStart and UserPromptSubmit to the context."""
    text = lines_within(text, LIMIT)
    if text.lstrip().startswith("{"):
        # Claude Code would parse it as the hook's JSON response.
        return json.dumps({"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}})
    return text


def _first(payload: dict[str, Any], *names: str) -> str:
    """Return the first of the fields that is not blank."""
    return next((found for name in names if (found := text(payload.get(name))).strip()), "")
