"""What coding agents were told is captured, corrected once, and in no agent's next context as it was."""

import json
import uuid
from pathlib import Path
from typing import Any

import pytest

from tests.hooks import machine as machines
from tests.hooks.machine import Client
from tests.mcp_server.serving import Serving

pytestmark = pytest.mark.stack

#: What each agent gave its hook, by the names of the files: a start, a prompt, a tool's result, an answer, an end.
PAYLOADS = Path(machines.__file__).parent / "payloads"
SESSIONS = {
    "claude-code": ("SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "SessionEnd"),
    "codex": ("SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "SessionEnd"),
    "gemini": ("SessionStart", "BeforeAgent", "AfterTool", "AfterAgent", "SessionEnd"),
    "cursor": ("sessionStart", "beforeSubmitPrompt", "postToolUse", "afterAgentResponse", "sessionEnd"),
    "opencode": ("session.created", "chat.message", "tool.execute.after", "session.idle", "dispose"),
}
#: Words of the recordings, and what is said instead.
SAID = {
    "What does notes.txt say?": "Which staging database do we use, is it orchid-7?",
    "Run the tests": "Which staging database do we use, is it orchid-7?",
    "The file notes.txt says hello.": "The staging database is Orchid-7, and it is backed up at noon.",
    "All tests pass.": "The staging database is Orchid-7, and it is backed up at noon.",
    "All tests passed": "STAGING_DB=orchid-7",
    "hello": "STAGING_DB=orchid-7",
}


def payload(agent: str, name: str, session: str) -> dict[str, Any]:
    """A recorded payload in another session, with other words."""
    text = (PAYLOADS / agent / f"{name}.json").read_text()
    for old, new in SAID.items():
        text = text.replace(old, new)
    given: dict[str, Any] = json.loads(text)
    for fields in (given, given.get("input", {})):
        fields.update({name: session for name in ("session_id", "sessionID", "conversation_id") if name in fields})
    return given


def test_one_correction_reaches_the_next_context_of_every_agent(serving: Serving, tmp_path: Path) -> None:
    machine = Client(tmp_path, serving.url)
    machine.environment["SUTURE_KEY"] = serving.agent
    for agent, names in SESSIONS.items():
        session = f"{agent}-{uuid.uuid4()}"
        for name in names:
            machine.hook("hook", "--agent", agent, **payload(agent, name, session))
        assert machine.suture("flush").code == 0, machine.log
        recorded = serving.ask("GET", f"events?session_id={session}")["results"]
        assert sum("orchid-7" in str(event).lower() for event in recorded) >= 3, (agent, recorded, machine.log)

    corrected = machine.suture("correct", "orchid-7", "lotus-2", "--everywhere", "--reason", "Staging was moved")
    assert corrected.code == 0, corrected.errors
    for agent, names in SESSIONS.items():
        context = machine.hook("hook", "--agent", agent, **payload(agent, names[0], f"next-{agent}")).output
        assert "orchid" not in context.lower(), agent
        assert "lotus-2" in context, agent
        assert "backed up at noon" in context, agent
