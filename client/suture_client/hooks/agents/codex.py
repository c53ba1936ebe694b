"""Payloads and context of Codex. The payloads are Claude Code's, with a turn id.

Formats: https://developers.openai.com/codex/hooks and codex-rs/hooks/schema in github.com/openai/codex; recorded with
Codex 0.169.0. docs/capture-agents.md describes how Codex uses them.
"""

import json
from typing import Any

from suture_client.hooks.hook_call import EVENTS, SUBAGENT_STOP, HookCall, lines_within, text

#: Bytes of a hook's output that reach the model (2,500 tokens of four bytes). Codex writes longer output to a file.
LIMIT = 10_000


def read(payload: dict[str, Any]) -> HookCall | None:
    """Convert a payload into a call; None for an event that is not captured."""
    event = text(payload.get("hook_event_name"))
    if event not in EVENTS:
        return None
    ids = [text(payload.get("turn_id"))]
    transcript = payload.get("transcript_path")
    if event == SUBAGENT_STOP:
        transcript = payload.get("agent_transcript_path")
        # The subagents of one turn share its id.
        ids.append(text(payload.get("agent_id")))
    return HookCall(
        agent="codex",
        event=event,
        session_id=text(payload.get("session_id")),
        cwd=text(payload.get("cwd")),
        tool_name=text(payload.get("tool_name")),
        tool_use_id=text(payload.get("tool_use_id")),
        tool_input=payload.get("tool_input"),
        tool_output=payload.get("tool_response"),
        prompt=text(payload.get("prompt")),
        response=text(payload.get("last_assistant_message")),
        transcript_path=text(transcript),
        reason=text(payload.get("reason")) or text(payload.get("source")),
        identity=" ".join(one for one in ids if one),
    )


def context(event: str, text: str) -> str:
    """Return the JSON response with which Codex adds the text to the model's context."""
    size = len(text.encode())
    if size > LIMIT:
        text = lines_within(text, LIMIT * len(text) // size)
    return json.dumps({"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}})
