"""Imports of a hook. An agent waits for each of these milliseconds at every step."""

import json
import subprocess
import sys

import pytest

from tests.hooks.machine import ROOT, SESSION

pytestmark = pytest.mark.pure

#: Modules of the standard library that take more than a millisecond, or that the hook path does not need.
SLOW = {
    *("argparse", "ast", "asyncio", "concurrent", "dataclasses", "datetime", "email", "hashlib", "http", "inspect"),
    *("logging", "multiprocessing", "shutil", "socket", "ssl", "subprocess", "tempfile", "threading", "tomllib"),
    *("unittest", "urllib", "uuid"),
}
OWN = {"suture_client"}
PAYLOADS = [
    {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "make"}},
    {"hook_event_name": "UserPromptSubmit", "prompt": "Fix it"},
    {"hook_event_name": "SessionStart"},
    {"hook_event_name": "SessionEnd", "reason": "clear", "summary": "Done."},
]


def imported(client, code, given=b""):
    """Return the modules that an interpreter imports."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", *code], input=given, capture_output=True, env=client.environment, cwd=ROOT
    )
    lines = [line.rpartition("|")[2].strip() for line in done.stderr.decode().splitlines() if "import time:" in line]
    return set(lines)


@pytest.mark.parametrize("payload", PAYLOADS, ids=lambda payload: payload["hook_event_name"])
def test_a_hook_imports_little(client, api, payload):
    anyway = imported(client, ["-c", "pass"])
    given = json.dumps({**payload, "session_id": SESSION}).encode()
    found = imported(client, ["-m", "suture_client.entry", "hook"], given) - anyway
    assert api.requests
    roots = {name.partition(".")[0] for name in found}
    assert roots & SLOW == set()
    packages = {root for root in roots - OWN if root not in sys.stdlib_module_names}
    assert packages == set()
    assert {name for name in found if name.startswith("governance")} <= {
        *("governance", "suture_client.text.masking", "suture_client.text.secret_rules", "suture_client.text.detectors")
    }


def test_the_other_commands_are_listed_and_run(client):
    ran = client.suture("--help")
    assert ran.code == 0
    for command in ("hook", "session", "inject-context", "capture-memory", "flush", "recall"):
        assert f" {command} " in ran.output
    assert "Deliver the captures that wait" in client.suture("flush", "--help").output.replace("\n", " ")
    assert client.suture("hook", "--help").code == 0
    assert client.suture("--version").output.startswith("suture ")
    assert client.suture("import", "no-kind", "missing.json").code == 2
