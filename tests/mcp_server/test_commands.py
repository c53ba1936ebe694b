"""`suture commit`, `recall`, `rethink`, `block`: what they say, and what they say when something is wrong."""

import json
import subprocess
import sys

import pytest

from memory_project.stack.processes import free_port
from tests.mcp_server.serving import SUTURE, Serving, environment_of, run
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
    """An agent calls them often: they start without what only `suture mcp` needs."""
    code = "import sys, capture.cli; print(sorted({'mcp', 'django', 'pydantic'} & sys.modules.keys()))"
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


@pytest.mark.stack
def test_commit_and_recall(serving: Serving) -> None:
    done = serving.run("commit", "The user's cat is called Miezi", "--importance", "8", "--retention", "relationship")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Committed as seq ")
    recalled = serving.run("recall", "What is the cat called?", "--max-results", "3", "--max-tokens", "500")
    assert recalled.returncode == 0, recalled.stderr
    assert "The user's cat is called Miezi" in recalled.stdout


@pytest.mark.stack
def test_json_is_the_answer_of_the_api(serving: Serving) -> None:
    done = serving.run("commit", "-", "--tier", "ephemeral", "--json", input="From standard input\n")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert {"seq", "contentHash"} <= answer.keys()
    recalled = json.loads(serving.run("recall", "From standard input", "--json").stdout)
    assert {"memories", "tokensUsed"} <= recalled.keys()
    (found,) = [memory for memory in recalled["memories"] if memory["seq"] == answer["seq"]]
    assert found["content"] == "From standard input"


@pytest.mark.stack
def test_rethink(serving: Serving) -> None:
    made = [json.loads(serving.run("commit", f"Bike fact {number}", "--json").stdout)["seq"] for number in range(3)]
    given = f"{made[0]},{made[1]}"
    done = serving.run("rethink", "All about the bike", "--supersedes", given, "--supersedes", str(made[2]))
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Consolidated 3 memories as seq ")
    again = serving.run("rethink", "Once more", "--supersedes", given, "--reason", "tidying")
    assert again.returncode == 1
    assert "supersedes" in again.stderr
    assert "superseded" in again.stderr


@pytest.mark.stack
def test_blocks(serving: Serving) -> None:
    empty = serving.run("block", "get", "goals")
    assert (empty.returncode, empty.stdout.strip()) == (0, "")
    done = serving.run("block", "update", "goals", "-", input="Ship it\n")
    assert done.returncode == 0, done.stderr
    assert "goals is now version 1" in done.stdout
    assert "version 2" in serving.run("block", "update", "goals", "Ship it well", "--no-core").stdout
    assert serving.run("block", "get", "goals").stdout == "Ship it well\n"
    assert json.loads(serving.run("block", "get", "goals", "--json").stdout)["memory"]["version"] == 2


@pytest.mark.stack
@pytest.mark.parametrize(
    ("command", "said"),
    [
        (("commit", "x", "--importance", "0"), "#/importance"),
        (("commit", "x", "--importance", "11"), "#/importance"),
        (("commit", "x", "--importance", "high"), "#/importance"),
        (("commit", "x", "--tier", "forever"), "committed"),
        (("commit", ""), "#/content"),
        (("rethink", "x", "--supersedes", "99999999"), "#/supersedes"),
        (("rethink", "x", "--supersedes", "first"), "#/supersedes"),
        (("block", "get", "mood"), "user_profile"),
        (("block", "update", "mood", "x"), "user_profile"),
    ],
)
def test_what_the_server_refuses_is_printed_with_its_place(
    serving: Serving, command: tuple[str, ...], said: str
) -> None:
    done = serving.run(*command)
    assert done.returncode == 1
    assert said in done.stderr
    assert done.stdout == ""


@pytest.mark.stack
def test_input_that_is_no_text_is_refused(serving: Serving) -> None:
    done = subprocess.run(
        [*SUTURE, "commit", "-"],
        cwd=ROOT,
        env=serving.variables(serving.agent),
        input=b"\xff",
        capture_output=True,
        check=False,
    )
    assert done.returncode == 1
    assert b"not UTF-8" in done.stderr
