"""Makes of a hook's call what may leave this machine: without private spans, without secrets, of a limited size."""

import json
import sys
from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

from suture_client import filtering
from suture_client.hooks import clock, transcripts
from suture_client.hooks.call import SESSION_END, STOP, SUBAGENT_STOP, HookCall
from suture_client.hooks.describing import describe, shortened
from suture_client.text import masking

if sys.version_info >= (3, 12):
    from _sha2 import sha256
elif sys.implementation.name == "cpython":
    # `hashlib` would load OpenSSL, for 5 ms.
    from _sha256 import sha256  # type: ignore[import-not-found] # CPython's own, without stubs
else:
    from hashlib import sha256

#: Characters of a capture. The server takes a million; to mask 100,000 takes 40 ms.
MOST = 400_000
#: Characters of a tool's input or output that are looked at: from the beginning and the end of a text, and of all.
_EACH, _ALL = 10_000, 60_000
_SESSION_ID = 200
_RESPONSES = {STOP: "stop", SUBAGENT_STOP: "subagent_stop", SESSION_END: "session_end"}


class Clean(NamedTuple):
    """A text or a JSON value that may leave this machine."""

    value: Any
    #: How many secrets of which kind were masked.
    masked: Counter[str]


class Outgoing(NamedTuple):
    """A capture, as the server takes it."""

    hook: str
    agent: str
    body: bytes
    masked: Mapping[str, int]


def is_ignored(call: HookCall, ignored: filtering.Ignored) -> bool:
    """Whether the user's ignore lists leave the call out."""
    return ignored.call(call.tool_name, call.tool_input, call.cwd)


def clean_text(text: str, most: int = MOST) -> Clean:
    """A text without private spans and secrets, of at most `most` characters."""
    return Clean(*masking.mask(shortened(_storable(filtering.without_private(text)), most)))


def clean_value(value: Any) -> Clean:
    """The same for a tool's input or output, of which long texts lose their middle."""
    left = [_ALL]
    return Clean(*masking.mask_all(_bounded(filtering.all_without_private(value), left)))


def described(call: HookCall) -> Clean:
    """What a tool call does and what came of it, in words that may leave this machine."""
    given, answer = clean_value(call.tool_input), clean_value(call.tool_output)
    said = filtering.without_private(call.description)
    # Once more: a name and a value from two fields may stand beside each other now.
    text = clean_text(describe(call._replace(tool_input=given.value, tool_output=answer.value, description=said)))
    # Of the secrets in its input and output, the kinds that the description speaks of.
    found = given.masked + answer.masked
    return text._replace(
        masked=text.masked + Counter({kind: count for kind, count in found.items() if kind in text.value})
    )


def source(call: HookCall) -> dict[str, str]:
    """Where a capture comes from, as the server takes it."""
    if call.event in _RESPONSES:
        return {"type": "ClaudeResponse", "response_type": _RESPONSES[call.event]}
    found = {"type": "HookDescription", "hook_type": call.event}
    return {**found, "tool_name": call.tool_name} if call.tool_name.strip() else found


def capture(call: HookCall, text: Clean) -> Outgoing:
    """The capture of a text. Its id follows from what is captured, so that the same call again has the same one."""
    body = {
        "id": event_id(call, text.value),
        "session_id": _storable(call.session_id).strip()[:_SESSION_ID],
        "source": source(call),
        "content": text.value,
        "ts": clock.timestamp(),
        "tags": [call.agent],
        "redacted": sorted(text.masked),
    }
    return Outgoing(call.event, call.agent, json.dumps(body).encode(), text.masked)


def event_id(call: HookCall, content: str) -> str:
    """The id of a capture: a UUID (version 8) of the call and what was captured. Two calls with the same text
    differ in the id of the tool's use or of the turn; without one, in their place in the conversation."""
    identity = call.tool_use_id or call.identity
    if not identity and call.transcript_path:
        if call.event in {STOP, SUBAGENT_STOP}:
            # The response may be written to the transcript while the hook runs; its prompt stands there already.
            identity = transcripts.last_turn(call.transcript_path).identity
        else:
            identity = transcripts.place(call.transcript_path)
    named = json.dumps([call.agent, call.session_id, call.event, identity, content]).encode()
    digest = bytearray(sha256(named).digest()[:16])
    digest[6] = digest[6] & 0x0F | 0x80
    digest[8] = digest[8] & 0x3F | 0x80
    shown = digest.hex()
    return f"{shown[:8]}-{shown[8:12]}-{shown[12:16]}-{shown[16:20]}-{shown[20:]}"


def _bounded(value: Any, left: list[int]) -> Any:
    if isinstance(value, str):
        most = min(_EACH, left[0])
        left[0] -= min(len(value), 2 * most)
        value = _storable(value if len(value) <= 2 * most else _without_middle(value, most))
    elif isinstance(value, list):
        value = [_bounded(one, left) for one in value if left[0] > 0]
    elif isinstance(value, dict):
        value = {name: _bounded(one, left) for name, one in value.items() if left[0] > 0}
    return value


def _without_middle(text: str, most: int) -> str:
    """The first and the last lines of a text. They are cut where lines or words are: half a secret is not found."""
    if not most:
        return ""
    first, last = text[:most], text[-most:]
    first = first[: max(first.rfind("\n"), first.rfind(" ")) + 1]
    found = min((place for place in (last.find("\n"), last.find(" ")) if place >= 0), default=len(last))
    return f"{first.rstrip()}\n{last[found:].lstrip()}"


def _storable(text: str) -> str:
    """A text without characters that the server refuses: colours of a terminal and other control characters, and
    halves of surrogate pairs."""
    if text.isprintable():
        return text
    if "\x1b" in text:
        text = _without_escapes(text)
    return text.translate(_CONTROLS).encode("utf-8", "replace").decode()


def _without_escapes(text: str) -> str:
    import re

    return re.sub(r"\x1b(?:\[[0-?]{0,40}[ -/]{0,9}[@-~]|\][^\x07\x1b]{0,1000}(?:\x07|\x1b\\)|[@-_])", "", text)


_CONTROLS = {code: " " for code in [*range(32), *range(127, 160)] if code not in (9, 10, 13)}
