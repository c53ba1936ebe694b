"""Claude Code: transcripts of sessions, as the captures that its hooks would send.

Anthropic documents the location of transcripts (https://code.claude.com/docs/en/hooks, `transcript_path`:
~/.claude/projects/<project>/<session>.jsonl) but not their format. This follows
- github.com/simonw/claude-code-transcripts at cad133d9, src/claude_code_transcripts/__init__.py,
- github.com/Huntehhh/claude-code-chat, docs/claude-cli-jsonl-format.md, and alicoding/claude-parser,
  docs/JSONL-STRUCTURE.md:
a line is {"type": "user" | "assistant" | "system" | ..., "uuid", "parentUuid", "sessionId", "timestamp", "cwd",
"isMeta"?, "isSidechain"?, "isCompactSummary"?, "promptId"?, "toolUseResult"?, "message": {"role", "content": text or
blocks}}.

Ids and contents are those of the hooks (`suture_client/hooks/captures.py`), so nothing that a hook has captured is
recorded twice.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from suture_client import filtering
from suture_client.hooks import captures, hook_call, settings, transcripts
from suture_client.hooks.hook_call import HookCall
from suture_client.importing.items import (
    BadSource,
    InvalidValueError,
    Item,
    LeftOut,
    NotParsed,
    Read,
    as_text,
    parse_time,
)
from suture_client.importing.kinds import Kind, OnRead, each_record, ends_with
from suture_client.importing.records import Record
from suture_client.importing.sources import Source

_AGENT = "claude-code"
_TALK = ("user", "assistant")
#: Types of lines for internal use.
_OWN = {
    "agent-color", "agent-name", "ai-title", "attachment", "custom-title", "file-history-delta",
    "file-history-snapshot", "last-prompt", "mode", "permission-mode", "pr-link", "progress", "queue-operation",
    "summary", "system", "tag",
}  # fmt: skip
_OWN_REASON = "lines that Claude Code keeps for itself (titles, snapshots, progress)"
_NOT_WRITTEN = "messages not written by a person (commands, reminders, summaries of compaction, prompts to subagents)"
_LEFT_OUT = {
    "thinking": "reasoning",
    "redacted_thinking": "reasoning",
    "image": "images, audio and files",
    "document": "images, audio and files",
}


def recognises(record: Record) -> bool:
    """Whether the record is a line of a transcript."""
    value = record.value
    if not isinstance(value, dict) or record.field:
        return False
    if value.get("type") in _TALK:
        return isinstance(value.get("message"), dict)
    return value.get("type") in _OWN and (
        "sessionId" in value or "uuid" in value or "leafUuid" in value or "snapshot" in value
    )


@dataclass
class _Thread:
    """The conversation of the main agent, or of a subagent, in one transcript."""

    #: The id of the turn, and the text that may be its response.
    turn: str = ""
    last_text: tuple[Record, str] | None = None
    #: Tool calls that have no result yet.
    uses: dict[str, dict[str, Any]] = field(default_factory=dict)


def read(source: Source, on_read: OnRead) -> Iterator[Read]:
    """Read the captures of one transcript. Raises BadSource."""
    ignored = filtering.ignored(settings.read().table)
    if ignored.problem:
        raise BadSource(ignored.problem)
    reader = _Transcript(source.name.rsplit("/", 1)[-1].removesuffix(".jsonl"), ignored)
    for one in each_record(source, on_read, "claude-code", lines_only=True):
        if isinstance(one, NotParsed):
            yield one
        else:
            yield from reader.line(one)
    yield from reader.end(source.name)


class _Transcript:
    """Reads the lines of one transcript in order."""

    def __init__(self, stem: str, ignored: filtering.Ignored) -> None:
        self._stem, self._ignored = stem, ignored
        self._threads: dict[str, _Thread] = {}
        self._unknown: Counter[str] = Counter()
        self._last = ""

    def line(self, record: Record) -> Iterator[Read]:
        """Read a line. Only the next prompt shows that a text was the turn's response."""
        entry = record.value
        if not isinstance(entry, dict):
            yield NotParsed(record.place, "The line is not a JSON object.")
            return
        type = entry.get("type")
        if type not in _TALK:
            if type in _OWN:
                yield LeftOut(_OWN_REASON)
            else:
                self._unknown[str(type)] += 1
        elif not isinstance(entry.get("message"), dict):
            yield NotParsed(record.place, "The line has no message.")
        else:
            thread = self._threads.setdefault(_thread_of(entry), _Thread())
            try:
                yield from self._user(record, thread) if type == "user" else self._assistant(record, thread)
            except InvalidValueError as error:
                yield NotParsed(record.place, f"{error}.")
        self._last = as_text(entry.get("uuid")) or self._last

    def end(self, name: str) -> Iterator[Read]:
        """Yield the last responses, and the unknown types of lines."""
        for thread in self._threads.values():
            yield from self._response(thread)
        for type, number in self._unknown.items():
            yield NotParsed(name, f"{number:,} lines have the unknown type {type!r}.")

    def _user(self, record: Record, thread: _Thread) -> Iterator[Read]:
        entry = record.value
        for block in _blocks(entry):
            type = block.get("type")
            if type == "tool_result":
                yield from self._result(record, thread, block)
            elif type in _LEFT_OUT:
                yield LeftOut(_LEFT_OUT[type])
            elif type != "text":
                yield NotParsed(record.place, f"The message has a block of the unknown type {type!r}.")
        prompt = transcripts.prompt(entry)
        if not prompt:
            if transcripts.text(entry):
                yield LeftOut(_NOT_WRITTEN)
            return
        if entry.get("isSidechain"):
            yield from self._response(thread)
            thread.turn = as_text(entry.get("promptId"))
            yield LeftOut(_NOT_WRITTEN)
            return
        yield from self._response(thread)
        # Hooks of old versions have no prompt id. They identify a prompt by the line before it, and a response by
        # its prompt.
        turn = as_text(entry.get("promptId"))
        thread.turn = turn or as_text(entry.get("uuid"))
        call = self._call(record, hook_call.USER_PROMPT_SUBMIT, identity=turn or self._last)
        written = entry["message"].get("content")
        yield self._capture(record, call, captures.clean_text(written if isinstance(written, str) else prompt))

    def _assistant(self, record: Record, thread: _Thread) -> Iterator[Read]:
        entry = record.value
        if text := transcripts.text(entry):
            if entry.get("isApiErrorMessage"):
                yield LeftOut("errors of the API")
            else:
                yield from self._response(thread, is_last=False)
                thread.last_text = record, text
        for block in _blocks(entry):
            type = block.get("type")
            if type in ("tool_use", "server_tool_use"):
                yield from self._use(record, thread, block)
            elif type in _LEFT_OUT:
                yield LeftOut(_LEFT_OUT[type])
            elif type != "text":
                yield NotParsed(record.place, f"The message has a block of the unknown type {type!r}.")

    def _use(self, record: Record, thread: _Thread, block: dict[str, Any]) -> Iterator[Read]:
        if not as_text(block.get("name")):
            yield NotParsed(record.place, "A tool call has no name.")
            return
        thread.uses[as_text(block.get("id"))] = block
        yield from self._tool(record, hook_call.PRE_TOOL_USE, block, None)

    def _result(self, record: Record, thread: _Thread, block: dict[str, Any]) -> Iterator[Read]:
        use = thread.uses.pop(as_text(block.get("tool_use_id")), None)
        if use is None:
            yield LeftOut("results of tools whose call is not in the transcript")
            return
        output = record.value.get("toolUseResult")
        if output is None or len([one for one in _blocks(record.value) if one.get("type") == "tool_result"]) > 1:
            output = block.get("content")
        if block.get("is_error"):
            output = {"error": _text_of(block.get("content"))}
        yield from self._tool(record, hook_call.POST_TOOL_USE, use, output)

    def _tool(self, record: Record, event: str, use: dict[str, Any], output: Any) -> Iterator[Read]:
        call = self._call(
            record,
            event,
            tool_name=as_text(use.get("name")),
            tool_use_id=as_text(use.get("id")),
            tool_input=use.get("input"),
            tool_output=output,
        )
        text = captures.clean_description(call)
        if text.value.strip():
            yield self._capture(record, call, text)

    def _response(self, thread: _Thread, *, is_last: bool = True) -> Iterator[Read]:
        """Yield the agent's last text. The last one of a turn is what the Stop hook captures, with the same id."""
        if thread.last_text is None:
            return
        record, text = thread.last_text
        thread.last_text = None
        entry = record.value
        # A running session ends with a message that is not a response yet.
        is_last = is_last and entry["message"].get("stop_reason") != "tool_use"
        agent = as_text(entry.get("agentId"))
        event = hook_call.SUBAGENT_STOP if entry.get("isSidechain") else hook_call.STOP
        identity = " ".join(filter(None, [thread.turn, agent])) if is_last else as_text(entry.get("uuid"))
        call = self._call(record, event, identity=identity or as_text(entry.get("uuid")))
        yield self._capture(record, call, captures.clean_text(text))

    def _call(self, record: Record, event: str, **given: Any) -> HookCall:
        entry = record.value
        session = as_text(entry.get("sessionId")) or self._stem
        return HookCall(agent=_AGENT, event=event, session_id=session, cwd=as_text(entry.get("cwd")), **given)

    def _capture(self, record: Record, call: HookCall, text: captures.Clean) -> Read:
        if captures.is_ignored(call, self._ignored):
            return LeftOut("excluded by your ignore lists")
        if not text.value.strip():
            return LeftOut("only <private> words")
        body: dict[str, Any] = {
            "session_id": call.session_id,
            "source": captures.source(call),
            "content": text.value,
            "tags": [_AGENT],
            "redacted": sorted(text.masked),
        }
        if ts := parse_time(record.value.get("timestamp")):
            body["ts"] = ts.isoformat()
        id = captures.event_id(call, text.value)
        return Item(record.place, body, (id,), "captures", id, text.masked)


def _thread_of(entry: dict[str, Any]) -> str:
    return as_text(entry.get("agentId")) or ("sidechain" if entry.get("isSidechain") else "")


def _blocks(entry: dict[str, Any]) -> list[dict[str, Any]]:
    content = entry["message"].get("content")
    return [one for one in content if isinstance(one, dict)] if isinstance(content, list) else []


def _text_of(content: Any) -> str:
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    return "\n".join(as_text(one.get("text")) for one in blocks if isinstance(one, dict))


KIND = Kind(
    name="claude-code",
    title="a transcript of Claude Code",
    wants="a transcript (.jsonl), or a directory of them such as ~/.claude/projects",
    wanted=ends_with(".jsonl"),
    takes_directory=True,
    recognises=recognises,
    read=read,
)
