"""Converts lines of other agents' transcripts to Claude Code's format, which `transcripts` reads.

Formats: those that Codex 0.169.0 (`sessions/**/rollout-*.jsonl`) and Gemini CLI 0.61.0 (`chats/session-*.jsonl`) write.
They are internal formats of the agents, so unknown lines are skipped.
"""

import json
from typing import Any

from suture_client.hooks.hook_call import text

#: Prefixes of messages that Codex adds in the user's name. Newer versions also mark the author of a message.
_NOT_USERS = ("<environment_context>", "<user_instructions>", "# AGENTS.md instructions", "<turn_aborted>", "<skill>")
#: Gemini CLI wraps the output of hooks in these tags, and escapes angle brackets inside.
_OPENING, _CLOSING = "<hook_context>", "</hook_context>"


def normalized(entry: dict[str, Any]) -> dict[str, Any] | None:
    """Convert a line to Claude Code's format; None if it is not a message. `rewritten` is the id of a line that may
    replace an earlier version of itself."""
    if isinstance(entry.get("payload"), dict):
        return _from_codex(entry["payload"]) if entry.get("type") == "response_item" else None
    if "content" in entry and entry.get("type") in ("user", "gemini"):
        return _from_gemini(entry)
    return entry


def without_hook_context(prompt: str) -> str:
    """Remove the output of hooks from the start of a Gemini CLI prompt."""
    while prompt.startswith(_OPENING) and _CLOSING in prompt:
        prompt = prompt.partition(_CLOSING)[2].lstrip()
    return prompt


def _from_codex(item: dict[str, Any]) -> dict[str, Any] | None:
    kind, role = item.get("type"), item.get("role")
    if kind in ("function_call", "custom_tool_call"):
        given = item.get("arguments", item.get("input"))
        use = {"type": "tool_use", "name": item.get("name"), "input": _from_json(given)}
        return _entry("assistant", item.get("id"), [use])
    if kind != "message" or role not in ("user", "assistant"):
        return None
    written = "\n\n".join(_texts(item.get("content")))
    about = item.get("internal_chat_message_metadata_passthrough")
    kinds = about.get("content_item_kinds") if isinstance(about, dict) else None
    if role == "user" and (written.startswith(_NOT_USERS) or (isinstance(kinds, list) and "user.text" not in kinds)):
        return None
    return _entry(role, item.get("id"), [{"type": "text", "text": written}])


def _from_gemini(entry: dict[str, Any]) -> dict[str, Any] | None:
    content = entry["content"]
    texts = [content] if isinstance(content, str) else _texts(content)
    blocks: list[dict[str, Any]] = [{"type": "text", "text": one} for one in map(without_hook_context, texts) if one]
    if entry["type"] == "user":
        return _entry("user", entry.get("id"), blocks) if blocks else None
    calls = entry.get("toolCalls")
    for call in calls if isinstance(calls, list) else ():
        if isinstance(call, dict):
            blocks.append({"type": "tool_use", "name": call.get("name"), "input": call.get("args")})
    return {**_entry("assistant", entry.get("id"), blocks), "rewritten": text(entry.get("id"))}


def _entry(kind: str, uuid: Any, blocks: list[dict[str, Any]]) -> dict[str, Any]:
    return {"type": kind, "uuid": text(uuid), "message": {"content": blocks}}


def _texts(content: Any) -> list[str]:
    parts = content if isinstance(content, list) else []
    return [part["text"] for part in parts if isinstance(part, dict) and isinstance(part.get("text"), str)]


def _from_json(given: Any) -> Any:
    try:
        return json.loads(given) if isinstance(given, str) else given
    except (ValueError, RecursionError):
        return given
