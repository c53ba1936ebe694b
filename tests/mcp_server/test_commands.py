"""`suture commit`, `recall`, `rethink`, `block`: their errors without a server."""

import subprocess
import sys

import pytest

from memory_project.stack.processes import free_port
from tests.mcp_server.serving import Serving, environment_of, run
from tests.stack.running import ROOT

COMMANDS = (
    ("commit", "x"),
    ("recall", "x"),
    ("rethink", "x", "--supersedes", "1"),
    ("block", "get", "persona"),
    ("block", "update", "persona", "x"),
)


@pytest.mark.pure
@pytest.mark.parametrize("command", COMMANDS)
def test_without_a_key_the_variable_is_named(command: tuple[str, ...]) -> None:
    done = run(*command, variables=environment_of({}))
    assert done.returncode == 1
    assert done.stdout == ""
    assert "set SUTURE_KEY" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.pure
def test_a_reference_that_no_client_replaced_is_no_key() -> None:
    done = run("recall", "x", variables=environment_of({"SUTURE_KEY": "${SUTURE_KEY}"}))
    assert done.returncode == 1
    assert "SUTURE_KEY is not an API key" in done.stderr


@pytest.mark.pure
@pytest.mark.parametrize("command", COMMANDS)
def test_a_server_that_is_away_is_said(command: tuple[str, ...]) -> None:
    at = f"http://127.0.0.1:{free_port()}"
    done = run(*command, variables=environment_of({"SUTURE_URL": at, "SUTURE_KEY": "sut_x_y"}))
    assert done.returncode == 1
    assert f"cannot be reached at {at}" in done.stderr
    assert "make up" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.pure
@pytest.mark.parametrize("at", ["nonsense", "ftp://127.0.0.1", "http://", "http://[::1"])
def test_an_address_that_is_none_is_said(at: str) -> None:
    done = run("recall", "x", variables=environment_of({"SUTURE_URL": at, "SUTURE_KEY": "sut_x_y"}))
    assert done.returncode == 1
    assert "SUTURE_URL must be like http://127.0.0.1:8000" in done.stderr


@pytest.mark.pure
def test_the_commands_do_not_import_the_sdk() -> None:
    """Agents call them often, so they do not import the dependencies of `suture mcp`."""
    code = "import sys, suture_client.cli; print(sorted({'mcp', 'django', 'pydantic'} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.stack
def test_a_wrong_key_is_said(serving: Serving) -> None:
    done = serving.run("recall", "x", key="sut_00000000_wrong")
    assert done.returncode == 1
    assert "This API key is not known." in done.stderr
    assert "admin" in done.stderr


@pytest.mark.stack
def test_an_address_of_something_else_is_said(serving: Serving) -> None:
    variables = {**serving.variables(serving.agent), "SUTURE_URL": f"{serving.url}/static"}
    done = run("recall", "x", variables=variables)
    assert done.returncode == 1
    assert "without a path" in done.stderr or "Not Found" in done.stderr
