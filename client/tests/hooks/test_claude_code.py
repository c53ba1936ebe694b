"""Claude Code's payloads are converted to hook calls."""

import json
from typing import Any

import pytest

from suture_client.hooks import agents, state
from suture_client.hooks.agents import claude_code
from suture_client.hooks.hook_call import HookCall

pytestmark = pytest.mark.pure

SESSION = "5c1f7f0e-2f0b-4a53-9f6e-0a1b2c3d4e5f"
COMMON = {
    "session_id": SESSION,
    "transcript_path": "/home/jo/.claude/projects/-home-jo-shop/5c1f.jsonl",
    "cwd": "/home/jo/shop",
    "permission_mode": "default",
}
PROMPT = {**COMMON, "prompt_id": "b8a1", "hook_event_name": "UserPromptSubmit", "prompt": "Fix the login"}
TOOL: dict[str, Any] = {
    **COMMON,
    "prompt_id": "b8a1",
    "tool_name": "Bash",
    "tool_input": {"command": "npm test", "description": "Run the tests"},
    "tool_use_id": "toolu_01A",
}


def test_a_prompt():
    call = claude_code.read(PROMPT)
    assert call == HookCall(
        agent="claude-code",
        event="UserPromptSubmit",
        session_id=SESSION,
        cwd="/home/jo/shop",
        transcript_path=COMMON["transcript_path"],
        prompt="Fix the login",
        identity="b8a1",
    )


def test_a_tool_before_and_after():
    before = claude_code.read({**TOOL, "hook_event_name": "PreToolUse"})
    answer = {"stdout": "ok", "stderr": "", "interrupted": False}
    after = claude_code.read({**TOOL, "hook_event_name": "PostToolUse", "tool_response": answer})
    assert before is not None
    assert after is not None
    assert before.tool_use_id == after.tool_use_id == "toolu_01A"
    assert before.tool_input == TOOL["tool_input"]
    assert after.tool_output == answer


def test_a_failed_tool_counts_as_ended():
    payload = {**TOOL, "hook_event_name": "PostToolUseFailure", "error": "exit code 1", "is_interrupt": False}
    call = claude_code.read(payload)
    assert call is not None
    assert (call.event, call.tool_output) == ("PostToolUse", {"error": "exit code 1"})


def test_a_subagent_has_its_own_transcript_and_identity():
    payload = {
        **COMMON,
        "hook_event_name": "SubagentStop",
        "prompt_id": "b8a1",
        "agent_id": "a7",
        "agent_transcript_path": "/t/agent-a7.jsonl",
        "last_assistant_message": "Three callers.",
    }
    call = claude_code.read(payload)
    assert call is not None
    assert (call.transcript_path, call.identity, call.response) == ("/t/agent-a7.jsonl", "b8a1 a7", "Three callers.")


@pytest.mark.parametrize(("event", "field"), [("SessionStart", "source"), ("SessionEnd", "reason")])
def test_why_a_session_starts_and_ends(event, field):
    call = claude_code.read({**COMMON, "hook_event_name": event, field: "clear"})
    assert call is not None
    assert call.reason == "clear"


@pytest.mark.parametrize("event", ["Notification", "PreCompact", "", None, 7])
def test_other_events_are_not_captured(event):
    assert claude_code.read({**COMMON, "hook_event_name": event}) is None


def test_fields_of_another_type_are_ignored():
    call = claude_code.read({"hook_event_name": "Stop", "session_id": 7, "response": ["a"], "transcript_path": None})
    assert call == HookCall(agent="claude-code", event="Stop", session_id="")


def test_context_is_printed_unchanged():
    assert claude_code.context("SessionStart", "## Persona\nKind") == "## Persona\nKind"


def test_context_that_looks_like_json_is_wrapped():
    printed = json.loads(claude_code.context("SessionStart", '{"decision": "block"}'))
    assert printed["hookSpecificOutput"] == {
        "hookEventName": "SessionStart",
        "additionalContext": '{"decision": "block"}',
    }


def test_context_is_cut_at_a_line_at_claude_codes_limit():
    text = "a line of memory\n" * 1000
    cut = claude_code.context("SessionStart", text)
    assert len(cut) <= claude_code.LIMIT
    assert text.startswith(cut + "\n")


def test_an_unknown_agent_is_named():
    with pytest.raises(agents.UnknownAgent, match=r"coding agent 'emacs'.*claude-code, codex"):
        agents.adapter("emacs")


def test_the_adapter_is_found_by_name():
    assert agents.adapter("claude-code").read(PROMPT) is not None


def test_where_the_state_is(tmp_path, monkeypatch):
    monkeypatch.delenv("SUTURE_STATE_DIR", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_STATE_HOME", "not/absolute")
    assert state.directory_path() == f"{tmp_path}/.local/state/suture"
    monkeypatch.setenv("XDG_STATE_HOME", f"{tmp_path}/xdg")
    assert state.directory_path() == f"{tmp_path}/xdg/suture"
    monkeypatch.setenv("SUTURE_STATE_DIR", f"{tmp_path}/own")
    assert state.spool_directory() == f"{tmp_path}/own/spool"
    assert (tmp_path / "own").stat().st_mode & 0o777 == 0o700


def test_a_private_file_is_replaced_whole(tmp_path):
    file = tmp_path / "captured.json"
    state.write_private(str(file), b"one")
    state.write_private(str(file), b"two")
    assert file.read_bytes() == b"two"
    assert file.stat().st_mode & 0o777 == 0o600
    assert [one.name for one in tmp_path.iterdir()] == ["captured.json"]
