"""`suture doctor` and `suture status`, on a machine with hooks and a server."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.hooks.machine import Client
from tests.mcp_server.serving import Serving

pytestmark = pytest.mark.stack


@pytest.fixture
def machine(tmp_path: Path, serving: Serving) -> Client:
    machine = Client(tmp_path, serving.url)
    machine.environment["SUTURE_KEY"] = serving.agent
    return machine


def checks(machine: Client) -> dict[str, dict[str, Any]]:
    """The doctor's checks, by name."""
    return {one["name"]: one for one in json.loads(machine.suture("doctor", "--json").output)}


def failed(machine: Client) -> set[str]:
    return {name for name, one in checks(machine).items() if not one["ok"]}


def test_a_machine_that_is_well(machine: Client) -> None:
    assert machine.suture("install-hooks", "--user").code == 0
    machine.hook(
        hook_event_name="PreToolUse", session_id="s", tool_name="Read", tool_input={"file_path": "config.yaml"}
    )
    done = machine.suture("doctor")
    assert (done.code, done.errors) == (0, "")
    assert [line[:8] for line in done.output.splitlines()] == ["ok      "] * 10
    assert "PreToolUse 20" in checks(machine)["last captures"]["detail"]

    shown = machine.suture("status")
    assert shown.code == 0
    assert "captured  PreToolUse: 20" in shown.output
    assert "waiting   0 captures" in shown.output
    assert json.loads(machine.suture("status", "--json").output)["is_ready"]


def test_without_hooks_it_says_how_to_install_them(machine: Client) -> None:
    done = machine.suture("doctor")
    assert done.code == 1
    assert "FAILED  hooks: No coding agent has Suture's hooks.\n        Run `suture install-hooks`." in done.output


def test_a_server_that_is_away_and_what_waits_for_it(machine: Client) -> None:
    machine.suture("install-hooks", "--user")
    machine.environment["SUTURE_URL"] = "http://127.0.0.1:1"
    machine.hook(hook_event_name="Stop", session_id="s", last_assistant_message="I fixed the bug.")
    assert failed(machine) == {"server"}
    assert checks(machine)["spool"]["detail"].startswith("1 captures wait")
    assert "does not answer" in machine.suture("status").output


@pytest.mark.parametrize(
    ("key", "detail"),
    [("sut_00000000_" + "A" * 43, "The server does not know the key."), ("", "No key is set.")],
)
def test_a_key_that_is_none(machine: Client, key: str, detail: str) -> None:
    machine.environment["SUTURE_KEY"] = key
    assert checks(machine)["key"]["detail"] == detail


def test_what_the_server_refused(machine: Client, serving: Serving) -> None:
    machine.suture("install-hooks", "--user")
    machine.hook(hook_event_name="Stop", session_id="ghp_" + "a1B2" * 9, last_assistant_message="I fixed the bug.")
    assert failed(machine) == {"refused"}
    assert "1 captures; the last one: " in checks(machine)["refused"]["detail"]


def test_a_configuration_that_cannot_be_read(machine: Client) -> None:
    path = machine.home / ".config" / "suture" / "config.toml"
    path.parent.mkdir(parents=True)
    path.write_text("url = ")
    assert "is not TOML" in checks(machine)["configuration"]["detail"]
