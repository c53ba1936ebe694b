"""One hook call, in a form that is the same for all coding agents."""

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
    """The values that an agent passes to its hook. Texts that the payload does not have are ""."""

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
    #: A JSON value. If the tool failed, an object with `error`.
    tool_output: Any = None
    prompt: str = ""
    #: The agent's own description of the tool call. It is captured unchanged, instead of a generated one.
    description: str = ""
    #: The final response or the summary, if the payload has it.
    response: str = ""
    #: The file with the conversation, if the payload only points to it.
    transcript_path: str = ""
    #: Why a session started or ended.
    reason: str = ""
    #: Distinguishes this call from others of its session, if the payload has an id (of a turn or a generation).
    identity: str = ""


def text(value: Any) -> str:
    """Return the value if it is a string, else ""."""
    return value if isinstance(value, str) else ""


def lines_within(text: str, limit: int) -> str:
    """Return the first lines of a text, at most `limit` characters. A longer first line is cut."""
    return text if len(text) <= limit else text[: text.rfind("\n", 0, limit) + 1 or limit].rstrip()
