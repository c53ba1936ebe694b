"""Builds captures from hook calls: removes private spans, masks secrets and limits the size."""

import json
import sys
from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

from suture_client import filtering
from suture_client.hooks import clock, own_answers, transcripts
from suture_client.hooks.descriptions import describe, shortened
from suture_client.hooks.hook_call import SESSION_END, STOP, SUBAGENT_STOP, HookCall
from suture_client.text import masking

if sys.version_info >= (3, 12):
    from _sha2 import sha256
elif sys.implementation.name == "cpython":
    # Importing `hashlib` loads OpenSSL, which takes 5 ms.
    from _sha256 import sha256  # type: ignore[import-not-found] # CPython's own, without stubs
else:
    from hashlib import sha256

#: Characters of a capture. The server accepts a million; masking 100,000 takes 40 ms.
MAX_LENGTH = 400_000
#: Characters of a tool's input or output that are used: from each end of a text, and in total.
_MAX_PART, _MAX_TOTAL = 10_000, 60_000
_MAX_SESSION_ID = 200
_RESPONSES = {STOP: "stop", SUBAGENT_STOP: "subagent_stop", SESSION_END: "session_end"}


class Clean(NamedTuple):
    """A text or a JSON value that may be sent."""

    value: Any
    #: The number of masked secrets by kind.
    masked: Counter[str]


class Capture(NamedTuple):
    """A capture in the server's format."""

    hook: str
    agent: str
    body: bytes
    masked: Mapping[str, int]


def is_ignored(call: HookCall, ignored: filtering.Ignored) -> bool:
    """Return whether the user's ignore lists exclude the call, or it reads Suture itself."""
    return own_answers.is_own(call) or ignored.call(call.tool_name, call.tool_input, call.cwd)


def clean_text(text: str, most: int = MAX_LENGTH) -> Clean:
    """Remove injected context, private spans and secrets from a text, and shorten it to `most` characters."""
    text = filtering.without_private(own_answers.without_context(text))
    return Clean(*masking.mask(shortened(_storable(text), most)))


def clean_value(value: Any) -> Clean:
    """Clean a tool's input or output in the same way. Long texts lose their middle."""
    left = [_MAX_TOTAL]
    return Clean(*masking.mask_all(_bounded(filtering.all_without_private(own_answers.without_context(value)), left)))


def clean_description(call: HookCall) -> Clean:
    """Describe a tool call and its result, without private spans and secrets."""
    given, answer = clean_value(call.tool_input), clean_value(call.tool_output)
    said = filtering.without_private(call.description)
    # Mask again: the description may put a name and a value from two fields next to each other.
    text = clean_text(describe(call._replace(tool_input=given.value, tool_output=answer.value, description=said)))
    # Count only the kinds of secrets that the description mentions.
    found = given.masked + answer.masked
    return text._replace(
        masked=text.masked + Counter({kind: count for kind, count in found.items() if kind in text.value})
    )


def source(call: HookCall) -> dict[str, str]:
    """Return the source of a capture in the server's format."""
    if call.event in _RESPONSES:
        return {"type": "ClaudeResponse", "response_type": _RESPONSES[call.event]}
    found = {"type": "HookDescription", "hook_type": call.event}
    return {**found, "tool_name": call.tool_name} if call.tool_name.strip() else found


def build(call: HookCall, text: Clean) -> Capture:
    """Build the capture of a text. Its id depends only on the call and the text: a repeated call gets the same id."""
    body = {
        "id": event_id(call, text.value),
        "session_id": _storable(call.session_id).strip()[:_MAX_SESSION_ID],
        "source": source(call),
        "content": text.value,
        "ts": clock.timestamp(),
        "tags": [call.agent],
        "redacted": sorted(text.masked),
    }
    return Capture(call.event, call.agent, json.dumps(body).encode(), text.masked)


def event_id(call: HookCall, content: str) -> str:
    """Return the id of a capture: a UUID (version 8) that depends on the call and the content. The id of the tool use
    or the turn distinguishes two calls with the same text; without one, their position in the conversation does."""
    identity = call.tool_use_id or call.identity
    if not identity and call.transcript_path:
        if call.event in {STOP, SUBAGENT_STOP}:
            # The agent may write the response while the hook runs, but the prompt is already there.
            identity = transcripts.last_turn(call.transcript_path).identity
        else:
            identity = transcripts.position(call.transcript_path)
    named = json.dumps([call.agent, call.session_id, call.event, identity, content]).encode()
    digest = bytearray(sha256(named).digest()[:16])
    digest[6] = digest[6] & 0x0F | 0x80
    digest[8] = digest[8] & 0x3F | 0x80
    shown = digest.hex()
    return f"{shown[:8]}-{shown[8:12]}-{shown[12:16]}-{shown[16:20]}-{shown[20:]}"


def _bounded(value: Any, left: list[int]) -> Any:
    if isinstance(value, str):
        most = min(_MAX_PART, left[0])
        left[0] -= min(len(value), 2 * most)
        value = _storable(value if len(value) <= 2 * most else _without_middle(value, most))
    elif isinstance(value, list):
        value = [_bounded(one, left) for one in value if left[0] > 0]
    elif isinstance(value, dict):
        value = {name: _bounded(one, left) for name, one in value.items() if left[0] > 0}
    return value


def _without_middle(text: str, most: int) -> str:
    """Return the first and last lines of a text. Cut only between words, because half a secret would not be found."""
    if not most:
        return ""
    first, last = text[:most], text[-most:]
    first = first[: max(first.rfind("\n"), first.rfind(" ")) + 1]
    found = min((place for place in (last.find("\n"), last.find(" ")) if place >= 0), default=len(last))
    return f"{first.rstrip()}\n{last[found:].lstrip()}"


def _storable(text: str) -> str:
    """Remove characters that the server refuses: terminal colours, other control characters and lone surrogates."""
    if text.isprintable():
        return text
    if "\x1b" in text or "\x9b" in text:
        from suture_client.text.escapes import without_escapes  # most texts have none

        text = without_escapes(text)
    return text.translate(_CONTROLS).encode("utf-8", "replace").decode()


_CONTROLS = {code: " " for code in [*range(32), *range(127, 160)] if code not in (9, 10, 13)}
