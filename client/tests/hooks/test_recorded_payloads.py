"""Recorded payloads of all coding agents are converted to hook calls, and each agent gets context in its format."""

import json
import time
from pathlib import Path
from typing import Any

import pytest

from suture_client.hooks import agents, delivery, runner, watchdog
from suture_client.hooks import payload as payload_reader
from suture_client.hooks.agents import codex, cursor, gemini, opencode
from suture_client.hooks.hook_call import EVENTS, HookCall

pytestmark = pytest.mark.pure

PAYLOADS = Path(__file__).parent / "payloads"
RECORDED = sorted(PAYLOADS.glob("*/*.json"))

CODEX_CALL = HookCall(agent="codex", event="", session_id="", cwd="/home/ada/notes")
GEMINI = HookCall(agent="gemini", event="", session_id="c2f15cbc-c5db-4ca7-8150-37a72d9c0d30", cwd="/home/ada/notes")
CURSOR = HookCall(
    agent="cursor",
    event="",
    session_id="6f0d2c1e-5d0e-4c86-9a53-0b1f2f8f7a11",
    cwd="/project",
    identity="490b90b7-a2ce-4c2c-bb76-cb77b125df2f",
)
OPENCODE = HookCall(agent="opencode", event="", session_id="ses_df84bea33ffeG3tCb3lQsoSLJg", cwd="/home/ada/notes")
READ = {"command": "cat notes.txt", "description": "Read notes.txt"}
ANSWER = "The file notes.txt says hello."
QUESTION = "What does notes.txt say?"


def payload(agent: str, name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((PAYLOADS / agent / f"{name}.json").read_text())
    return found


def of_codex(name: str, **fields: Any) -> HookCall:
    given = payload("codex", name)
    return CODEX_CALL._replace(
        session_id=given["session_id"],
        identity=given.get("turn_id", ""),
        transcript_path=given["transcript_path"],
        event=name,
        **fields,
    )


def of_gemini(name: str, event: str, **fields: Any) -> HookCall:
    given = payload("gemini", name)
    return GEMINI._replace(event=event, identity=given["timestamp"], transcript_path=given["transcript_path"], **fields)


def test_every_recorded_payload_is_read() -> None:
    for path in RECORDED:
        call = agents.adapter(path.parent.name).read(json.loads(path.read_text()))
        if (path.parent.name, path.stem) == ("cursor", "stop"):
            assert call is None  # its response comes with afterAgentResponse
            continue
        assert call is not None, path
        assert call.agent == path.parent.name
        assert call.event in EVENTS, path
        assert call.session_id, path
        assert call.cwd, path


def test_each_agent_has_a_payload_of_each_event_that_it_has() -> None:
    found = {
        agent: {
            call.event
            for path in (PAYLOADS / agent).glob("*.json")
            if (call := agents.adapter(agent).read(json.loads(path.read_text())))
        }
        for agent in agents.NAMES
    }
    every = set(EVENTS)
    assert found == {
        "claude-code": every - {"SubagentStop"},
        "codex": every,
        "cursor": every,
        "gemini": every - {"SubagentStop"},
        "opencode": every - {"SubagentStop"},
    }


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("SessionStart", {"reason": "startup"}),
        ("UserPromptSubmit", {"prompt": QUESTION}),
        ("PreToolUse", {"tool_name": "Bash", "tool_use_id": "call_1", "tool_input": {"command": "cat notes.txt"}}),
        (
            "PostToolUse",
            {
                "tool_name": "Bash",
                "tool_use_id": "call_1",
                "tool_input": {"command": "cat notes.txt"},
                "tool_output": "hello\n",
            },
        ),
        ("Stop", {"response": ANSWER}),
        ("SessionEnd", {"reason": "other"}),
    ],
)
def test_codex(name: str, fields: dict[str, Any]) -> None:
    assert codex.read(payload("codex", name)) == of_codex(name, **fields)


def test_codex_subagents_of_one_turn_are_distinguished() -> None:
    given = payload("codex", "SubagentStop")
    call = codex.read(given)
    assert call is not None
    assert call.response == "There is one note."
    assert call.identity == f"{given['turn_id']} {given['agent_id']}"


@pytest.mark.parametrize(
    ("name", "event", "fields"),
    [
        ("SessionStart", "SessionStart", {"reason": "startup"}),
        ("BeforeTool", "PreToolUse", {"tool_name": "run_shell_command", "tool_input": READ}),
        (
            "AfterTool",
            "PostToolUse",
            {"tool_name": "run_shell_command", "tool_input": READ, "tool_output": "hello"},
        ),
        ("AfterAgent", "Stop", {"response": ANSWER}),
        ("SessionEnd", "SessionEnd", {"reason": "exit"}),
    ],
)
def test_gemini(name: str, event: str, fields: dict[str, Any]) -> None:
    assert gemini.read(payload("gemini", name)) == of_gemini(name, event, **fields)


def test_context_that_gemini_puts_before_a_prompt_is_not_the_users() -> None:
    given = payload("gemini", "BeforeAgent")
    assert given["prompt"].startswith("<hook_context>")
    assert gemini.read(given) == of_gemini("BeforeAgent", "UserPromptSubmit", prompt=QUESTION)
    given["prompt"] = "Explain <hook_context>x</hook_context> to me"
    call = gemini.read(given)
    assert call is not None
    assert call.prompt == given["prompt"]


def test_a_tool_of_gemini_that_failed() -> None:
    given = payload("gemini", "AfterTool")
    given["tool_response"]["error"] = {"message": "no such file", "type": "file_not_found"}
    call = gemini.read(given)
    assert call is not None
    assert call.tool_output == {"error": {"message": "no such file", "type": "file_not_found"}}


@pytest.mark.parametrize(
    ("name", "event", "fields"),
    [
        ("sessionStart", "SessionStart", {"reason": "agent"}),
        ("beforeSubmitPrompt", "UserPromptSubmit", {"prompt": "Run the tests"}),
        (
            "preToolUse",
            "PreToolUse",
            {
                "tool_name": "Shell",
                "tool_use_id": "abc123",
                "tool_input": {"command": "npm install", "working_directory": "/project"},
                "description": "Installing dependencies...",
            },
        ),
        (
            "postToolUse",
            "PostToolUse",
            {
                "tool_name": "Shell",
                "tool_use_id": "abc123",
                "tool_input": {"command": "npm test"},
                "tool_output": {"exitCode": 0, "stdout": "All tests passed"},
            },
        ),
        (
            "postToolUseFailure",
            "PostToolUse",
            {
                "tool_name": "Shell",
                "tool_use_id": "abc123",
                "tool_input": {"command": "npm test"},
                "tool_output": {"error": "Command timed out after 30s"},
            },
        ),
        ("afterAgentResponse", "Stop", {"response": "All tests pass."}),
        ("subagentStop", "SubagentStop", {"response": "Sessions are kept in src/auth.ts."}),
        ("sessionEnd", "SessionEnd", {"reason": "completed"}),
    ],
)
def test_cursor(name: str, event: str, fields: dict[str, Any]) -> None:
    assert cursor.read(payload("cursor", name)) == CURSOR._replace(event=event, **fields)


@pytest.mark.parametrize(
    ("name", "event", "fields"),
    [
        ("session.created", "SessionStart", {"reason": "startup"}),
        (
            "chat.message",
            "UserPromptSubmit",
            {"prompt": f'"{QUESTION}"', "identity": "msg_207b4165d001sI9ONTWkqPIN27"},
        ),
        ("tool.execute.before", "PreToolUse", {"tool_name": "bash", "tool_use_id": "call_1", "tool_input": READ}),
        (
            "tool.execute.after",
            "PostToolUse",
            {"tool_name": "bash", "tool_use_id": "call_1", "tool_input": READ, "tool_output": "hello\n"},
        ),
        ("session.idle", "Stop", {"response": ANSWER, "identity": "msg_207b4231b0019GvoQ79VBqG9eI"}),
        ("dispose", "SessionEnd", {"reason": "exit"}),
    ],
)
def test_opencode(name: str, event: str, fields: dict[str, Any]) -> None:
    assert opencode.read(payload("opencode", name)) == OPENCODE._replace(event=event, **fields)


def test_a_subagent_of_opencode_answers_in_the_session_of_its_parent() -> None:
    call = opencode.read({**payload("opencode", "session.idle"), "parentID": "ses_parent"})
    assert call is not None
    assert (call.event, call.session_id, call.response) == ("SubagentStop", "ses_parent", ANSWER)


def test_text_that_opencode_added_to_a_prompt_is_dropped() -> None:
    given = payload("opencode", "chat.message")
    given["output"]["parts"] += [
        {"type": "text", "text": "Called the Read tool", "synthetic": True},
        {"type": "file", "url": "data:image/png;base64,AAAA"},
        {"type": "text", "text": "and why?"},
    ]
    call = opencode.read(given)
    assert call is not None
    assert call.prompt == f'"{QUESTION}"\nand why?'


def test_claude_codes_hooks_ignore_events_of_cursor() -> None:
    for path in sorted((PAYLOADS / "cursor").glob("*.json")):
        given = json.loads(path.read_text())
        for name in (given["hook_event_name"], *EVENTS):
            assert agents.adapter("claude-code").read({**given, "hook_event_name": name}) is None, path


NOT_CAPTURED: list[dict[str, Any]] = [
    {},
    {"hook_event_name": "Notification", "hook": "file.edited"},
    {"hook_event_name": ["SessionStart"], "hook": {}},
    {"hook_event_name": None, "hook": 7},
]


def test_an_event_that_is_not_captured() -> None:
    for given in NOT_CAPTURED:
        for name in agents.NAMES:
            assert agents.adapter(name).read(given) is None, (name, given)


def test_a_payload_of_other_types_breaks_nothing() -> None:
    for path in RECORDED:
        given = json.loads(path.read_text())
        names = ("hook_event_name", "hook")
        for wrong in (None, 7, ["x"], {"x": 1}, [], ""):
            call = agents.adapter(path.parent.name).read({k: v if k in names else wrong for k, v in given.items()})
            if call is not None:
                texts = [value for name, value in call._asdict().items() if name not in ("tool_input", "tool_output")]
                assert all(isinstance(value, str) for value in texts), path


TEXT = 'What is known:\n- Ada likes "quotes" & <tags>'


def test_context_for_codex_and_gemini_is_their_json_answer() -> None:
    for event in ("SessionStart", "UserPromptSubmit"):
        answer = {"hookSpecificOutput": {"hookEventName": event, "additionalContext": TEXT}}
        assert json.loads(codex.context(event, TEXT)) == answer
    assert json.loads(gemini.context("SessionStart", TEXT)) == {
        "hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": TEXT}
    }
    assert json.loads(gemini.context("UserPromptSubmit", TEXT)) == {
        "hookSpecificOutput": {"hookEventName": "BeforeAgent", "additionalContext": TEXT}
    }


def test_cursor_takes_context_at_the_start_of_a_session_only() -> None:
    assert json.loads(cursor.context("SessionStart", TEXT)) == {"additional_context": TEXT}
    assert cursor.context("UserPromptSubmit", TEXT) == ""


@pytest.mark.parametrize(
    ("agent", "name", "asked"), [("cursor", "beforeSubmitPrompt", 0), ("gemini", "BeforeAgent", 1)]
)
def test_no_context_is_asked_for_where_the_agent_takes_none(
    home: Path, monkeypatch: pytest.MonkeyPatch, agent: str, name: str, asked: int
) -> None:
    printed: list[str] = []
    posted: list[str] = []

    def post(_settings: Any, path: str, *_rest: Any) -> dict[str, Any]:
        posted.append(path)
        return {"system_prompt": TEXT}

    monkeypatch.setattr(payload_reader, "read", lambda *_: payload(agent, name))
    monkeypatch.setattr(delivery, "post", post)
    monkeypatch.setattr(watchdog, "end_at", lambda _at: None)
    monkeypatch.setattr(runner, "_print", printed.append)
    runner.run(agent, "", time.monotonic())
    assert posted.count("captures") == 1
    assert (posted.count("context/bootstrap"), len(printed)) == (asked, asked)


def test_the_plugin_of_opencode_takes_the_text() -> None:
    assert opencode.context("SessionStart", TEXT) == opencode.context("UserPromptSubmit", TEXT) == TEXT


@pytest.mark.parametrize("line", ["- something is known\n", "- etwas über Bücher ist bekannt ✓\n"])
def test_context_for_codex_is_cut_at_a_line_before_codex_puts_it_into_a_file(line: str) -> None:
    cut = json.loads(codex.context("SessionStart", line * 1_000))["hookSpecificOutput"]["additionalContext"]
    assert 9_000 < len(cut.encode()) <= codex.LIMIT
    assert set(cut.splitlines()) == {line.strip()}
