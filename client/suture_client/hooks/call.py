"""One call of a hook, whichever coding agent made it."""

from typing import Any, NamedTuple

SESSION_START = "SessionStart"
USER_PROMPT_SUBMIT = "UserPromptSubmit"
PRE_TOOL_USE = "PreToolUse"
POST_TOOL_USE = "PostToolUse"
STOP = "Stop"
SUBAGENT_STOP = "SubagentStop"
SESSION_END = "SessionEnd"

EVENTS = (SESSION_START, USER_PROMPT_SUBMIT, PRE_TOOL_USE, POST_TOOL_USE, STOP, SUBAGENT_STOP, SESSION_END)


# No dataclass: the import of `dataclasses` costs a hook 7 ms.
class HookCall(NamedTuple):
    """What an agent tells its hook, in the words that all agents share. Texts are "" where the payload has none."""

    #: claude-code, codex, cursor, gemini or opencode.
    agent: str
    #: One of EVENTS.
    event: str
    session_id: str
    cwd: str = ""
    tool_name: str = ""
    tool_use_id: str = ""
    #: A JSON value.
    tool_input: Any = None
    #: A JSON value. Where the tool failed, an object with `error`.
    tool_output: Any = None
    prompt: str = ""
    #: What the agent says that it does. It is captured as it stands, instead of a description of the tool call.
    description: str = ""
    #: The final response or the summary, where the payload has it.
    response: str = ""
    #: The file with the conversation, where the payload only points to it.
    transcript_path: str = ""
    #: Why a session started or ended.
    reason: str = ""
    #: What tells this call from others of its session, where the payload has an id of its own (a turn, a generation).
    identity: str = ""


def text(value: Any) -> str:
    """A field of a payload that should be a text: "" if it is none."""
    return value if isinstance(value, str) else ""


def lines_within(text: str, limit: int) -> str:
    """The first lines of a text that are `limit` characters at most; of a longer first line, its beginning."""
    return text if len(text) <= limit else text[: text.rfind("\n", 0, limit) + 1 or limit].rstrip()
