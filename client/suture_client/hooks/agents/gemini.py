"""Gemini CLI: its payloads, and how it takes context.

Formats: https://geminicli.com/docs/hooks/reference (docs/hooks/reference.md in github.com/google-gemini/gemini-cli);
recorded with Gemini CLI 0.61.0. docs/capture-agents.md says what Gemini CLI does with them.
"""

import json
from typing import Any

from suture_client.hooks.call import (
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

#: What Gemini CLI calls each event.
EVENTS = {
    "SessionStart": SESSION_START,
    "BeforeAgent": USER_PROMPT_SUBMIT,
    "BeforeTool": PRE_TOOL_USE,
    "AfterTool": POST_TOOL_USE,
    "AfterAgent": STOP,
    "SessionEnd": SESSION_END,
}


def read(payload: dict[str, Any]) -> HookCall | None:
    """The call that a payload of Gemini CLI stands for; None for an event that is not captured."""
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
    """The JSON answer with which Gemini CLI adds the text to the model's context: other output is shown to the user."""
    names = {known: name for name, known in EVENTS.items()}
    return json.dumps({"hookSpecificOutput": {"hookEventName": names[event], "additionalContext": text}})


def _prompt(payload: dict[str, Any]) -> str:
    """What the user wrote. Without a terminal, Gemini CLI puts what SessionStart printed before it."""
    return without_hook_context(text(payload.get("prompt")))


def _output(response: Any) -> Any:
    """What the tool answered: without `llmContent`, which is the same in the model's words, where there is more."""
    if not isinstance(response, dict):
        return response
    if response.get("error"):
        return {"error": response["error"]}
    return response.get("returnDisplay") or response.get("llmContent")
