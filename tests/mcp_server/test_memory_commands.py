"""`suture commit`, `recall`, `rethink`, `block`: an agent's memory from a shell."""

import json
import subprocess

import pytest

from tests.mcp_server.serving import SUTURE, Serving
from tests.stack.running import ROOT

pytestmark = pytest.mark.stack


def test_commit_and_recall(serving: Serving) -> None:
    done = serving.run("commit", "The user's cat is called Miezi", "--importance", "8", "--retention", "relationship")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Committed as seq ")
    recalled = serving.run("recall", "What is the cat called?", "--max-results", "3", "--max-tokens", "500")
    assert recalled.returncode == 0, recalled.stderr
    assert "The user's cat is called Miezi" in recalled.stdout


def test_json_is_the_answer_of_the_api(serving: Serving) -> None:
    done = serving.run("commit", "-", "--tier", "ephemeral", "--json", input="From standard input\n")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert {"seq", "contentHash"} <= answer.keys()
    recalled = json.loads(serving.run("recall", "From standard input", "--json").stdout)
    assert {"memories", "tokensUsed"} <= recalled.keys()
    (found,) = [memory for memory in recalled["memories"] if memory["seq"] == answer["seq"]]
    assert found["content"] == "From standard input"


def test_what_was_consolidated_is_recalled_only_when_asked_for(serving: Serving) -> None:
    made = json.loads(serving.run("commit", "The kettle is green", "--json").stdout)["seq"]
    assert serving.run("rethink", "The kettle is blue now", "--supersedes", str(made)).returncode == 0
    assert "green" not in serving.run("recall", "Which colour has the kettle?").stdout
    assert "green" in serving.run("recall", "Which colour has the kettle?", "--include-superseded").stdout


def test_ephemeral_memory_is_said_when_it_expires(serving: Serving) -> None:
    given = ("--retention", "ephemeral", "--expires-in-hours", "2", "--json")
    assert json.loads(serving.run("commit", "For now", *given).stdout)["expires_at"]
    refused = serving.run("commit", "For ever", "--expires-in-hours", "2")
    assert (refused.returncode, "expires" in refused.stderr) == (1, True)


def test_what_repeats_a_retracted_memory_is_said_to_be_held_back(serving: Serving) -> None:
    text = "The safe is behind the green picture in the hall"
    chunk = json.loads(serving.run("commit", text, "--json").stdout)["chunk_id"]
    edit = {"target_type": "chunk", "target_id": chunk, "op": "retract", "reason": "not for memory"}
    serving.ask("POST", "edits", edit)
    again = serving.run("commit", text)
    assert again.returncode == 0, again.stderr
    assert "quarantined" in again.stdout


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


def test_blocks(serving: Serving) -> None:
    empty = serving.run("block", "get", "goals")
    assert (empty.returncode, empty.stdout.strip()) == (0, "")
    done = serving.run("block", "update", "goals", "-", input="Ship it\n")
    assert done.returncode == 0, done.stderr
    assert "goals is now version 1" in done.stdout
    assert "version 2" in serving.run("block", "update", "goals", "Ship it well", "--no-core").stdout
    assert serving.run("block", "get", "goals").stdout == "Ship it well\n"
    assert json.loads(serving.run("block", "get", "goals", "--json").stdout)["memory"]["version"] == 2


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
