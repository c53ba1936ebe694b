"""Payloads and context of Gemini CLI.

Formats: https://geminicli.com/docs/hooks/reference (docs/hooks/reference.md in github.com/google-gemini/gemini-cli);
recorded with Gemini CLI 0.61.0. docs/capture-agents.md describes how Gemini CLI uses them.
"""

import json
from typing import Any

from suture_client.hooks.hook_call import (
    POST_TOOL_USE,
    PRE_TOOL_USE,
    SESSION_END,
    SESSION_START,
    STOP,
    USER_PROMPT_SUBMIT,
    HookCall,
    text,
)
from suture_client.hooks.transcript_formats import without_hook_context

#: Gemini CLI's event names.
EVENTS = {
    "SessionStart": SESSION_START,
    "BeforeAgent": USER_PROMPT_SUBMIT,
    "BeforeTool": PRE_TOOL_USE,
    "AfterTool": POST_TOOL_USE,
    "AfterAgent": STOP,
    "SessionEnd": SESSION_END,
}


def read(payload: dict[str, Any]) -> HookCall | None:
    """Convert a payload into a call; None for an event that is not captured."""
    event = EVENTS.get(text(payload.get("hook_event_name")))
    if event is None:
        return None
    return HookCall(
        agent="gemini",
        event=event,
        session_id=text(payload.get("session_id")),
        cwd=text(payload.get("cwd")),
        tool_name=text(payload.get("tool_name")),
        tool_input=payload.get("tool_input"),
        tool_output=_output(payload.get("tool_response")),
        prompt=_prompt(payload) if event == USER_PROMPT_SUBMIT else "",
        response=text(payload.get("prompt_response")),
        transcript_path=text(payload.get("transcript_path")),
        reason=text(payload.get("reason")) or text(payload.get("source")),
        # All hooks of one event get the same time.
        identity=text(payload.get("timestamp")),
    )


def context(event: str, text: str) -> str:
    """Return the JSON response with which Gemini CLI adds the text to the model's context. Other output would be shown
    to the user."""
    names = {known: name for name, known in EVENTS.items()}
    return json.dumps({"hookSpecificOutput": {"hookEventName": names[event], "additionalContext": text}})


def _prompt(payload: dict[str, Any]) -> str:
    """Return the user's prompt. Without a terminal, Gemini CLI prepends the output of SessionStart to it."""
    return without_hook_context(text(payload.get("prompt")))


def _output(response: Any) -> Any:
    """Return the tool's result. `llmContent` repeats it for the model, so it is used only if nothing else is there."""
    if not isinstance(response, dict):
        return response
    if response.get("error"):
        return {"error": response["error"]}
    return response.get("returnDisplay") or response.get("llmContent")
