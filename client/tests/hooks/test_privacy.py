"""Neither sent data nor files on disk contain secrets or private spans."""

import json

import pytest

from tests.hooks.machine import SESSION

pytestmark = pytest.mark.pure

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
PEM = (
    "-----BEGIN RSA PRIVATE KEY-----\n"
    + "\n".join(["MIIEowIBAAKCAQEAxyzABC" + "d" * 42] * 40)
    + "\n-----END RSA PRIVATE KEY-----"
)


def everything_on_disk(client):
    return b"".join(file.read_bytes() for file in client.state.rglob("*") if file.is_file())


CALLS = [
    {"hook_event_name": "UserPromptSubmit", "prompt": f"Use {TOKEN} to log in"},
    {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": f"curl -H 'X: {TOKEN}'"}},
    {"hook_event_name": "PreToolUse", "tool_name": "Odd", "tool_input": {"password": "hunter2hunter2", "a": TOKEN}},
    {"hook_event_name": "PreToolUse", "description": f"Logging in with {TOKEN}"},
    {
        "hook_event_name": "PostToolUse",
        "tool_name": "Bash",
        "tool_response": {"stdout": f"key {TOKEN}\n" + "x\n" * 9_999},
    },
    {"hook_event_name": "PostToolUse", "tool_name": "Read", "tool_response": {"file": {"content": PEM}}},
    {
        "hook_event_name": "PostToolUse",
        "tool_name": "T",
        "tool_response": {"stdout": "x " * 14_980 + TOKEN + " y" * 40_000},
    },
    {"hook_event_name": "Stop", "last_assistant_message": f"The token is {TOKEN}."},
    {"hook_event_name": "SubagentStop", "response": f"The token is {TOKEN}."},
    {"hook_event_name": "SessionEnd", "summary": f"The token is {TOKEN}."},
]


@pytest.mark.parametrize("payload", CALLS, ids=lambda payload: f"{payload['hook_event_name']}")
@pytest.mark.parametrize("status", [0, 503, 400])
def test_secrets_are_masked_in_sent_spooled_and_saved_captures(client, api, payload, status):
    api.status = status
    client.hook(session_id=SESSION, **payload)
    sent = json.dumps(api.requests)
    assert api.requests, client.log
    for secret in (TOKEN, TOKEN[10:], "hunter2", "MIIEowIBAAKCAQEA"):
        assert secret not in sent
        assert secret.encode() not in everything_on_disk(client)


def test_masked_secrets_are_counted_by_kind(client, api):
    client.hook(hook_event_name="UserPromptSubmit", session_id=SESSION, prompt=f"{TOKEN} and {TOKEN}")
    client.hook(hook_event_name="Stop", session_id=SESSION, response=f"It was {TOKEN}.")
    (kind,) = client.kept["masked"]
    assert client.kept["masked"] == {kind: 3}
    assert {tuple(capture["redacted"]) for capture in api.captures.values()} == {(kind,)}
    assert all(f"[redacted: {kind}]" in content for content in api.contents)


def test_secrets_that_no_description_mentions_are_not_counted(client, api):
    given = {"file_path": "/a", "content": TOKEN}
    client.hook(hook_event_name="PreToolUse", session_id=SESSION, tool_name="Write", tool_input=given)
    assert [capture["redacted"] for capture in api.captures.values()] == [[]]


def test_private_spans_are_dropped(client, api):
    span = "<private>my salary is 5</private>"
    client.hook(hook_event_name="UserPromptSubmit", session_id=SESSION, prompt=f"Plan {span} the week")
    client.hook(
        hook_event_name="PreToolUse", session_id=SESSION, tool_name="Bash", tool_input={"command": f"echo {span}"}
    )
    client.hook(hook_event_name="PreToolUse", session_id=SESSION, description=f"Telling {span} them")
    output = "a\n<private>" + "salary\n" * 9_999 + "</private>\nb"
    client.hook(hook_event_name="PostToolUse", session_id=SESSION, tool_name="Bash", tool_response={"stdout": output})
    client.hook(hook_event_name="Stop", session_id=SESSION, response=f"Done. {span}")
    assert len(api.captures) == 5
    assert "salary" not in json.dumps(api.requests)


def test_a_prompt_that_is_all_private_is_skipped(client, api):
    ran = client.hook("inject-context", session_id=SESSION, prompt="<private>my salary</private>")
    assert (ran.code, ran.output, api.requests) == (0, "", [])
    assert "Skipping empty hook description for UserPromptSubmit" in client.log


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("mcp__bank__pay", {}),
        ("Read", {"file_path": "/home/jo/.env"}),
        ("Bash", {"command": "cat /home/jo/secrets/a.txt"}),
    ],
)
@pytest.mark.parametrize("event", ["PreToolUse", "PostToolUse"])
def test_ignored_tools_and_paths_are_not_sent(client, api, tool, given, event):
    client.environment |= {"SUTURE_IGNORE_TOOLS": "mcp__bank__*", "SUTURE_IGNORE_PATHS": ".env,secrets/"}
    ran = client.hook(hook_event_name=event, session_id=SESSION, tool_name=tool, tool_input=given, tool_response="5")
    assert (ran.code, ran.output, api.requests) == (0, "", [])
    assert client.kept["hooks"][event]["outcome"] == "ignored"


def test_ignore_lists_that_cannot_be_read_leave_everything_out(client, api):
    config = client.home / ".config/suture/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text("[capture]\nignore_paths = 7\n")
    client.hook(hook_event_name="Stop", session_id=SESSION, response="Done.")
    assert api.requests == []
    assert "ignore_paths must be a list" in client.log


def test_the_log_has_no_words_and_no_key(client, api):
    api.status = 401
    client.hook(hook_event_name="Stop", session_id=SESSION, response="Words of a response.")
    assert client.log
    assert "Words" not in client.log
    assert client.environment["SUTURE_KEY"] not in client.log
