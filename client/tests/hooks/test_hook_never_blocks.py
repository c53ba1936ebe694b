"""A hook always ends in time, with exit code 0 and no output, whatever the server, the disk or the agent does."""

import json
import os
import resource
import subprocess
import time

import pytest

from suture_client import __version__
from suture_client.hooks import clock
from tests.hooks.machine import HANGS, SESSION
from tests.hooks.serving import away, frozen

pytestmark = pytest.mark.pure

#: Each event, a payload, and the agent's timeout in seconds.
EVENTS = [
    ("SessionStart", {}, 5),
    ("UserPromptSubmit", {"prompt": "Fix it"}, 2),
    ("PreToolUse", {"tool_name": "Read", "tool_input": {"file_path": "/a"}}, 0.5),
    ("PostToolUse", {"tool_name": "Read", "tool_response": "text"}, 3),
    ("Stop", {"response": "Done."}, 3),
    ("SubagentStop", {"response": "Done."}, 3),
    ("SessionEnd", {"summary": "Done."}, 30),
]
PRE = {"hook_event_name": "PreToolUse", "session_id": SESSION, "tool_name": "Bash", "tool_input": {"command": "make"}}
by_event = pytest.mark.parametrize(
    ("event", "payload"), [given[:2] for given in EVENTS], ids=[event for event, _, _ in EVENTS]
)


def assert_waits(client, ran, event):
    """Assert that the hook ended without output and its capture is in the spool."""
    assert (ran.code, ran.output, ran.errors) == (0, "", "")
    assert len(client.spooled) == (0 if event == "SessionStart" else 1)
    assert event in client.log


@pytest.mark.parametrize(("event", "payload", "limit"), EVENTS, ids=[event for event, _, _ in EVENTS])
def test_a_hook_has_less_time_than_the_agent_gives_it(event, payload, limit):
    limits = clock.limits(event)
    assert max(limits.capture, limits.context, limits.spool) < limits.process < limit


@by_event
def test_an_unavailable_server(client_of, event, payload):
    client = client_of(away())
    ran = client.hook(hook_event_name=event, session_id=SESSION, **payload)
    assert_waits(client, ran, event)
    assert "Connection refused" in client.log


@by_event
def test_a_server_that_accepts_and_never_answers(client_of, event, payload):
    with frozen() as url:
        client = client_of(url)
        ran = client.hook(hook_event_name=event, session_id=SESSION, **payload)
    assert_waits(client, ran, event)
    assert "did not answer in time" in client.log


@pytest.mark.parametrize(
    ("event", "payload"), [given[:2] for given in EVENTS[1:3]], ids=["UserPromptSubmit", "PreToolUse"]
)
def test_a_server_that_sends_single_bytes(client, api, event, payload):
    api.drip = 0.1
    ran = client.in_a_hurry().hook(hook_event_name=event, session_id=SESSION, **payload)
    assert_waits(client, ran, event)
    assert "did not answer in time" in client.log


def test_a_host_with_an_unknown_name(client_of):
    client = client_of("http://suture.invalid:8000")
    ran = client.hook(**PRE)
    assert (ran.code, ran.output, len(client.spooled)) == (0, "", 1)


@pytest.mark.parametrize("status", [301, 401, 403, 404, 408, 429, 500, 502, 503])
def test_a_temporarily_refused_capture_is_spooled(client, api, status):
    api.status = status
    ran = client.hook(**PRE)
    assert (ran.code, ran.output, len(client.spooled)) == (0, "", 1)
    assert f"status {status}" in client.log


def test_a_capture_is_spooled_if_the_server_has_an_unsupported_version(client, api):
    api.status, api.code = 400, "unsupported-client-version"
    client.hook(**PRE)
    assert len(client.spooled) == 1
    assert api.versions == {__version__}
    api.status = 0
    assert client.suture("flush").code == 0
    assert len(api.captures) == 1


@pytest.mark.parametrize("status", [400, 409, 413, 422])
def test_a_refused_capture_is_saved_with_the_reason_and_not_retried(client, api, status):
    api.status = status
    ran = client.hook(**PRE)
    assert (ran.code, ran.output, client.spooled) == (0, "", [])
    (refused,) = client.refused
    assert (refused["status"], refused["reason"]) == (status, "It is refused.; /content No.")
    assert refused["capture"]["content"] == "Bash: Running command make"
    assert f"ERROR The server refused a capture ({status})" in client.log


def test_the_same_refused_capture_is_kept_once(client, api):
    api.status = 400
    for _ in range(3):
        client.hook(**PRE)
    assert len(client.refused) == 1


def test_a_key_that_may_only_read_still_gets_context(client, api):
    client.hook("inject-context", session_id=SESSION, prompt="Fix it")
    api.requests.clear()
    api.status = 403
    client.hook("inject-context", session_id=SESSION, prompt="Fix it")
    assert [path for path, _ in api.requests] == ["captures", "context/bootstrap"]


def test_without_a_key_captures_wait(client, api):
    del client.environment["SUTURE_KEY"]
    ran = client.hook(**PRE)
    assert (ran.code, ran.output, len(client.spooled), api.requests) == (0, "", 1, [])
    assert "No key is set" in client.log


@pytest.mark.parametrize(
    "url", ["ftp://x", "127.0.0.1:8000", "http://", "http://a:b:c", "http://x:99999", "http://a b"]
)
def test_an_invalid_address(client, url):
    client.environment["SUTURE_URL"] = url
    ran = client.hook(**PRE)
    assert (ran.code, ran.output, len(client.spooled)) == (0, "", 1)
    assert "The server's address must be like http://127.0.0.1:8000" in client.log


def test_an_answer_in_pieces(client, api):
    api.is_chunked = True
    assert client.hook(hook_event_name="SessionStart", session_id=SESSION).output.startswith("## Persona")


def test_standard_input_that_stays_open(client, api):
    with client.start("hook") as process:
        process.stdin.write(json.dumps(PRE).encode())
        process.stdin.flush()
        assert process.wait(HANGS) == 0
    assert len(api.captures) == 1


def test_standard_input_on_which_nothing_comes(client):
    with client.start("hook") as process:
        assert process.wait(HANGS) == 0
    assert "Standard input is empty" in client.log


def test_an_incomplete_payload(client):
    with client.in_a_hurry().start("hook") as process:
        process.stdin.write(json.dumps({**PRE, "tool_input": {"command": "make " + "x " * 20}}).encode()[:-12])
        process.stdin.flush()
        assert process.wait(HANGS) == 0
    # No time is left to send it.
    assert client.spooled[0]["content"].startswith("Bash: Running command make x x")


def test_standard_input_that_is_closed(client):
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" <&-', "sh", *client.command("hook")], env=client.environment, cwd=client.home
    )
    assert done.returncode == 0
    assert "Standard input cannot be read" in client.log


def test_fifty_megabytes_of_output(client, api):
    payload = {**PRE, "hook_event_name": "PostToolUse", "tool_response": {"stdout": "line of text\n" * 4_000_000}}
    ran = client.hook(**payload, tool_use_id="toolu_9")
    assert (ran.code, ran.output) == (0, "")
    (content,) = api.contents
    assert content.startswith("Bash: Running command make\nOutput: line of text\n")
    assert len(content) < 1_000


def test_a_huge_output_has_the_id_of_its_call(client, api):
    for number in range(2):
        client.hook(
            hook_event_name="PostToolUse", session_id=SESSION, tool_name="Bash", tool_response="x " * 3_000_000,
            tool_use_id=f"toolu_{number}",
        )  # fmt: skip
    assert len(api.captures) == 2


def test_a_closed_output(client):
    reading, writing = os.pipe()
    os.close(reading)
    payload = json.dumps({"hook_event_name": "SessionStart", "session_id": SESSION}).encode()
    done = subprocess.run(
        client.command("hook"), input=payload, stdout=writing, stderr=subprocess.PIPE, env=client.environment
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_full_disk(client, api):
    """A capture that cannot be spooled is still sent. If that fails too, it is lost, and the agent continues."""

    def no_room():
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

    api.status = 0
    for status, taken in ((0, 1), (503, 1)):
        api.status = status
        with client.start("hook", preexec_fn=no_room) as process:
            output, _ = process.communicate(json.dumps({**PRE, "tool_use_id": str(status)}).encode(), 5)
        assert (process.returncode, output, len(api.captures)) == (0, b"", taken)
    assert client.spooled == []


def test_a_state_directory_that_cannot_be_made(client, api):
    client.state.write_text("a file")
    ran = client.hook(**PRE)
    assert (ran.code, ran.output, ran.errors, len(api.captures)) == (0, "", "", 1)


def test_a_full_spool_loses_the_new_capture_and_logs_it(client, api):
    api.status = 503
    client.environment["SUTURE_SPOOL_MB"] = "0.001"
    for number in range(6):
        ran = client.hook(**PRE, tool_use_id=str(number))
        assert (ran.code, ran.output) == (0, "")
    size = sum(file.stat().st_size for file in client.state.glob("spool/*"))
    assert 0 < size <= 1000
    assert "ERROR [PreToolUse] The spool is full" in client.log
    assert client.kept["outcomes"]["lost"] + client.kept["outcomes"]["spooled"] == 6
    assert client.kept["outcomes"]["lost"] > 0


def test_the_state_is_private(client, api):
    api.status = 503
    client.hook(**PRE)
    api.status = 400
    client.hook(**PRE, tool_use_id="2")
    modes = {file.relative_to(client.home).as_posix(): file.stat().st_mode & 0o777 for file in client.state.rglob("*")}
    assert modes.pop("state/spool") == client.state.stat().st_mode & 0o777 == 0o700
    assert {"state/log", "state/captured.json", "state/refused"} < modes.keys()
    assert set(modes.values()) == {0o600}


def test_a_log_that_grows_is_rotated_once(client, api):
    client.state.mkdir()
    (client.state / "log").write_text("x" * 1_000_001)
    api.status = 503
    client.hook(**PRE)
    client.hook(**PRE)
    assert (client.state / "log.1").stat().st_size > 1_000_000
    assert client.log.count("\n") == 1


def test_a_disk_that_does_not_answer(client, api):
    """The log is a FIFO without a reader, and the server is unavailable, so the hook would block."""
    api.status = 503
    client.state.mkdir()
    os.mkfifo(client.state / "log")
    ran = client.in_a_hurry().hook(**PRE)
    assert (ran.code, ran.output, len(client.spooled)) == (0, "", 1)


def test_a_hook_that_is_killed_while_it_sends_loses_nothing(client_of):
    with frozen() as url:
        client = client_of(url)
        with client.start("hook") as process:
            process.stdin.write(json.dumps({**PRE, "hook_event_name": "PostToolUse"}).encode())
            process.stdin.close()
            deadline = time.monotonic() + 5
            while not client.spooled and time.monotonic() < deadline:
                time.sleep(0.005)
            process.kill()
    assert [capture["content"] for capture in client.spooled] == ["Bash: Running command make"]
