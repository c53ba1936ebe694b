"""The README's tour, pasted into a shell as a whole."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
TITLE = "## Five minutes with curl"

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(not (shutil.which("curl") and shutil.which("bash")), reason="needs curl and bash"),
]


def blocks(kind: str) -> list[str]:
    text = (ROOT / "README.md").read_text(encoding="utf-8").partition(TITLE)[2].partition("\n## ")[0]
    return re.findall(rf"```{kind}\n(.*?)```", text, re.DOTALL)


def pasted(world: Any, server: Any) -> list[dict[str, Any]]:
    """The answers of the tour, in order. `make` is a function that prints what `make credentials` would."""
    credentials = {"SUTURE_URL": server.url, "SUPPORT_AGENT_KEY": world.keys["alice"], "BOB_KEY": world.keys["bob"]}
    lines = "\n".join(f"echo {name}={value}" for name, value in credentials.items())
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", f"make() {{\n{lines}\n}}\n" + "".join(blocks("sh"))],
        env={name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines() if line]


def test_the_tour_works_when_it_is_pasted_as_a_whole(world: Any, live_server: Any) -> None:
    event, amended, jon, john, asked, pending, refused, approved, gone, *own = pasted(world, live_server)
    assert event["status"] == "recorded"
    assert (amended["status"], amended["approvals_required"]) == ("approved", 0)
    assert jon["chunks"] == []
    assert [chunk["text"] for chunk in john["chunks"]] == ["John Doe called about a billing issue"]
    assert john["chunks"][0]["chunk_id"] == event["chunk_ids"][0]
    assert [chunk["chunk_id"] for chunk in asked["chunks"]] == event["chunk_ids"]
    assert (pending["status"], pending["approvals_required"]) == ("pending", 1)
    assert refused["status"] == 403
    assert (approved["status"], approved["edit_id"]) == ("approved", pending["edit_id"])
    assert gone["chunks"] == []
    one, two, consolidated, block, recalled, begun = own
    assert (one["seq"], two["seq"], block["seq"], block["version"]) == (1, 2, 4, 1)
    assert consolidated["supersedes"] == [one["seq"], two["seq"]]
    assert [memory["seq"] for memory in recalled["memories"]] == [consolidated["consolidationSeq"]]
    assert "## Who I Am\n> I am the support agent" in begun["system_prompt"]
    assert "> Jack writes German at work" in begun["system_prompt"]


def test_the_answers_have_what_the_readme_shows(world: Any, live_server: Any) -> None:
    """Each line of the blocks of answers begins a JSON object: its fields are those of the answer, in order."""
    shown = [line for block in blocks("json")[:5] for line in block.splitlines() if line.startswith("{")]
    answers = pasted(world, live_server)
    assert len(shown) == len(answers)
    for line, answer in zip(shown, answers, strict=True):
        first = re.match(r'\{"(\w+)":', line)
        assert first is not None
        assert first[1] == next(iter(answer))
        for name, value in re.findall(r'"(status|title|total_count|approvals|approvals_required)":("[^"]*"|\d+)', line):
            assert json.dumps(answer[name]) == value, (name, line)


def test_it_names_no_id_that_only_its_author_has() -> None:
    assert not re.search(r"[0-9a-f]{8}-[0-9a-f]{4}", "".join(blocks("sh")))
