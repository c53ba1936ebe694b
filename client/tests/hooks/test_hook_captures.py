"""Captures and output for each event of a coding agent."""

import json
import uuid

import pytest

from tests.hooks.machine import SESSION
from tests.hooks.serving import CONTEXT

pytestmark = pytest.mark.pure

BASH = {
    "session_id": SESSION,
    "tool_name": "Bash",
    "tool_input": {"command": "npm test", "description": "Run the tests"},
    "tool_use_id": "toolu_01A",
}


def only(captures):
    assert len(captures) == 1
    return next(iter(captures.values()))


def test_a_new_session_gets_context_and_captures_nothing(client, api):
    ran = client.hook(hook_event_name="SessionStart", session_id=SESSION, source="startup")
    assert (ran.code, ran.output, ran.errors) == (0, CONTEXT + "\n", "")
    assert api.requests == [("context/bootstrap", {"max_tokens": 2400, "session_id": SESSION})]


def test_a_prompt_is_captured_and_gets_matching_memories(client, api):
    ran = client.hook(hook_event_name="UserPromptSubmit", session_id=SESSION, prompt="Fix the login", prompt_id="b8")
    assert (ran.code, ran.output, ran.errors) == (0, CONTEXT + "\n", "")
    capture = only(api.captures)
    assert capture["source"] == {"type": "HookDescription", "hook_type": "UserPromptSubmit"}
    assert (capture["content"], capture["session_id"]) == ("Fix the login", SESSION)
    asked = {
        "max_tokens": 1200,
        "session_id": SESSION,
        "query": "Fix the login",
        "include_core": False,
        "without_session_id": SESSION,
    }
    assert api.requests[1] == ("context/bootstrap", asked)


def test_a_tool_is_described_before_it_runs(client, api):
    ran = client.hook(hook_event_name="PreToolUse", **BASH)
    assert (ran.code, ran.output, ran.errors) == (0, "", "")
    capture = only(api.captures)
    assert capture["source"] == {"type": "HookDescription", "hook_type": "PreToolUse", "tool_name": "Bash"}
    assert capture["content"] == "Bash: Run the tests. Running command npm test"
    assert uuid.UUID(capture["id"]).version == 8
    assert capture["ts"].endswith("Z")


def test_a_tool_that_ran_has_its_output(client, api):
    answer = {"stdout": "3 passed\n1 failed", "stderr": "warning: slow", "exit_code": 1}
    ran = client.hook(hook_event_name="PostToolUse", tool_response=answer, **BASH)
    assert (ran.code, ran.output) == (0, "")
    assert only(api.captures)["content"] == (
        "Bash: Run the tests. Running command npm test\nExit code: 1\nStandard error: warning: slow\n"
        "Output: 3 passed\n1 failed"
    )


def test_the_agents_description_of_a_tool_call_is_captured_unchanged(client, api):
    ran = client.hook("capture-memory", "--source", "hook", session_id="s", description="Reading file config.yaml")
    assert (ran.code, ran.output) == (0, "")
    capture = only(api.captures)
    assert (capture["content"], capture["source"]["hook_type"]) == ("Reading file config.yaml", "PreToolUse")


def test_a_description_after_a_tool_has_the_output_as_well(client, api):
    client.hook(
        *("capture-memory", "--source", "hook"),
        session_id="s",
        description="Reading file config.yaml",
        tool_output="port: 8000",
    )
    capture = only(api.captures)
    assert capture["source"]["hook_type"] == "PostToolUse"
    assert capture["content"] == "Reading file config.yaml\nOutput: port: 8000"


@pytest.mark.parametrize(
    ("words", "payload", "kind"),
    [
        (("hook",), {"hook_event_name": "Stop", "last_assistant_message": "Done."}, "stop"),
        (("capture-memory", "--source", "response"), {"response": "Done."}, "stop"),
        (("capture-memory", "--source=response"), {"response": "Done."}, "stop"),
        (("hook",), {"hook_event_name": "SubagentStop", "last_assistant_message": "Done."}, "subagent_stop"),
        (("session", "end"), {"summary": "Done."}, "session_end"),
        (("hook",), {"hook_event_name": "SessionEnd", "summary": "Done.", "reason": "clear"}, "session_end"),
    ],
)
def test_responses(client, api, words, payload, kind):
    ran = client.hook(*words, session_id=SESSION, **payload)
    assert (ran.code, ran.output, ran.errors) == (0, "", "")
    capture = only(api.captures)
    assert (capture["source"], capture["content"]) == ({"type": "ClaudeResponse", "response_type": kind}, "Done.")


def test_the_forms_of_the_specification_take_a_payload_that_names_no_event(client, api):
    assert client.hook("session", "start", session_id=SESSION).output == CONTEXT + "\n"
    assert client.hook("inject-context", session_id=SESSION, prompt="Fix it").output == CONTEXT + "\n"
    assert only(api.captures)["source"]["hook_type"] == "UserPromptSubmit"


@pytest.mark.parametrize("empty", ["", " \n\t "])
def test_an_empty_description_is_skipped(client, api, empty):
    ran = client.hook("capture-memory", "--source", "hook", session_id=SESSION, description=empty)
    assert (ran.code, ran.output, api.requests) == (0, "", [])
    assert "WARNING [PreToolUse] Skipping empty hook description for PreToolUse\n" in client.log


@pytest.mark.parametrize(
    "event", ["UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SubagentStop", "SessionEnd"]
)
@pytest.mark.parametrize("session", [{}, {"session_id": " "}, {"session_id": None}])
def test_without_a_session_nothing_is_sent(client, api, event, session):
    ran = client.hook(hook_event_name=event, prompt="Fix it", tool_name="Bash", response="Done.", **session)
    assert (ran.code, ran.output, api.requests) == (0, "", [])
    assert f"ERROR [{event}] session_id is required for memory capture\n" in client.log


def test_the_same_event_five_times_is_one_memory(client, api):
    for _ in range(5):
        client.hook(hook_event_name="PreToolUse", **BASH)
    assert len(api.captures) == 1
    assert list(api.asked.values()) == [5]


def test_the_same_prompt_of_another_turn_is_another_memory(client, api):
    for turn in ("one", "two", "two"):
        client.hook(hook_event_name="UserPromptSubmit", session_id=SESSION, prompt="continue", prompt_id=turn)
    assert api.contents == ["continue", "continue"]


def test_the_place_in_the_transcript_tells_prompts_apart(client, api, tmp_path):
    transcript = tmp_path / "t.jsonl"
    for line in ({"uuid": "a"}, {"uuid": "a"}, {"type": "assistant", "uuid": "b"}):
        transcript.write_text(json.dumps(line) + "\n")
        client.hook(
            hook_event_name="UserPromptSubmit", session_id=SESSION, prompt="continue", transcript_path=str(transcript)
        )
    assert api.contents == ["continue", "continue"]


def test_the_events_of_one_tool_call_are_two_memories(client, api):
    client.hook(hook_event_name="PreToolUse", **BASH)
    client.hook(hook_event_name="PostToolUse", **BASH)
    assert len(api.captures) == 2


def test_an_event_that_is_not_captured_does_nothing(client, api):
    ran = client.hook(hook_event_name="Notification", session_id=SESSION, message="Waiting")
    assert (ran.code, ran.output, ran.errors, api.requests) == (0, "", "", [])


@pytest.mark.parametrize("given", [b"", b" ", b"no JSON", b"[1]", b'"text"', b'{"a": ', b"\xff\xfe", b'{"a": ' * 5000])
def test_an_invalid_payload_is_logged(client, api, given):
    ran = client.suture("hook", given=given)
    assert (ran.code, ran.output, ran.errors, api.requests) == (0, "", "", [])
    assert "ERROR Standard input is" in client.log


def test_an_agent_that_is_not_known_ends_in_the_log(client, api):
    ran = client.hook("hook", "--agent", "emacs", hook_event_name="Stop", session_id=SESSION)
    assert (ran.code, ran.output, api.requests) == (0, "", [])
    assert "ERROR Unknown coding agent 'emacs'" in client.log


@pytest.mark.parametrize("words", [("hook", "--agnet", "codex"), ("session",), ("capture-memory", "--source", "file")])
def test_a_wrong_command_does_not_stop_the_agent(client, words):
    ran = client.hook(*words, hook_event_name="Stop", session_id=SESSION)
    assert (ran.code, ran.output) == (0, "")
    assert "Unknown hook" in ran.errors
    assert "Unknown hook" in client.log


def test_output_that_a_terminal_would_colour_can_be_stored(client, api):
    payload = {**BASH, "tool_response": {"stdout": "\x1b[31mred\x1b[0m\x00 \ud800"}}
    client.hook(hook_event_name="PostToolUse", **payload)
    assert only(api.captures)["content"].endswith("Output: red  ?")


def test_the_configuration_file_says_where_the_server_is(client, api):
    config = client.home / ".config/suture/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text(f'url = "{api.url}"\nkey = "{client.environment.pop("SUTURE_KEY")}"\n')
    del client.environment["SUTURE_URL"]
    client.hook(hook_event_name="PreToolUse", **BASH)
    assert len(api.captures) == 1


def test_a_configuration_file_that_cannot_be_read_is_in_the_log(client, api):
    config = client.home / ".config/suture/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text("url = ")
    ran = client.hook(hook_event_name="PreToolUse", **BASH)
    assert (ran.code, ran.output) == (0, "")
    assert "config.toml is not TOML" in client.log
