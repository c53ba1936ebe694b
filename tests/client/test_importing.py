"""Imports into a running Suture, and corrections of imported memory."""

import json
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from tests.importing.conftest import SAMPLES
from tests.mcp_server.serving import SUTURE, Serving
from tests.stack.running import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.stack]

MEM0 = ROOT / "samples" / "mem0-export.json"


def found(serving: Serving, query: str) -> list[str]:
    """The texts that a search finds."""
    answer = serving.ask("POST", "tools/search_memory", {"query": query, "limit": 10})
    return [one["text"] for one in answer["chunks"]]


def found_by_words(serving: Serving, query: str) -> list[str]:
    """The texts with these words. A search by meaning also finds what other tests recorded."""
    answer = serving.ask("POST", "chunks/search", {"query": query, "mode": "keyword"})
    return [one["text"] for one in answer["chunks"]]


def test_from_an_export_of_mem0_to_corrected_memory_in_two_commands(serving: Serving) -> None:
    imported = serving.run("import", "mem0", str(MEM0))
    assert (imported.returncode, imported.stderr) == (0, "")
    assert "6 read: 6 recorded, 0 already recorded." in imported.stdout
    reason = "She said so on 3 May"
    corrected = serving.run(
        "correct", "Halden Instruments", "--text", "Works at Brage Robotics as a test engineer", "--reason", reason
    )
    assert (corrected.returncode, corrected.stderr) == (0, "")
    assert corrected.stdout.startswith("It was: Works at Halden Instruments as a test engineer\nCorrected. Edit ")
    assert "Works at Brage Robotics as a test engineer" in found(serving, "Where does Alice work?")
    assert not any("Halden" in text for text in found(serving, "Halden Instruments"))

    again = serving.run("import", "mem0", str(MEM0))
    assert (again.returncode, "6 read: 0 recorded, 6 already recorded." in again.stdout) == (0, True), again.stdout
    assert not any("Halden" in text for text in found(serving, "Halden Instruments"))


def test_what_is_imported_keeps_its_user_and_its_time(serving: Serving) -> None:
    serving.run("import", "mem0", str(MEM0))
    answer = serving.ask("POST", "tools/search_memory", {"query": "hazelnuts", "subject_id": "alice", "limit": 3})
    (hit,) = [one for one in answer["chunks"] if "hazelnuts" in one["text"]]
    assert hit["ts"].startswith("2026-02-02T19:03:19")
    assert hit["text"] == "Is allergic to hazelnuts\n\ndata:\n  severity: high"


def test_an_unclear_correction_lists_what_may_be_meant(serving: Serving) -> None:
    for text in ("The blue lamp is in the hall", "The blue lamp is in the attic"):
        serving.record(text)
    done = serving.run("correct", "blue lamp", "--text", "x", "--reason", "y")
    assert done.returncode == 2
    assert "2 memories have these words. Give an id, or more words:" in done.stderr
    assert "The blue lamp is in the attic" in done.stderr
    (line,) = [line for line in done.stderr.splitlines() if "attic" in line]
    right = serving.run("correct", line.split()[0], "--text", "The blue lamp is sold", "--reason", "Sold")
    assert right.returncode == 0, right.stderr
    assert "The blue lamp is sold" in found(serving, "blue lamp")
    none = serving.run("correct", "no such words qqqq", "--text", "x", "--reason", "y")
    assert none.returncode == 2


def test_a_changed_memory_and_a_time_in_the_future_are_reported(serving: Serving, tmp_path: Path) -> None:
    def memory(id: str, text: str, created: str) -> dict[str, Any]:
        return {"id": id, "memory": text, "user_id": "carl", "created_at": created}

    path = tmp_path / "export.json"
    memories = [memory("c1", "Carl likes plums", "2026-01-01T00:00:00Z")]
    path.write_text(json.dumps(memories))
    assert serving.run("import", "mem0", str(path)).returncode == 0
    memories = [
        memory("c1", "Carl likes cherries", "2026-01-01T00:00:00Z"),
        memory("c2", "Carl lives in the future", "2999-01-01T00:00:00Z"),
        memory("c3", "Carl has a boat", "2026-01-01T00:00:00Z"),
    ]
    path.write_text(json.dumps(memories))
    report = tmp_path / "report.jsonl"
    done = serving.run("import", "mem0", str(path), "--report", str(report))
    assert done.returncode == 1
    assert "item 2: ts: This time is in the future, by more than a minute." in done.stderr
    assert "changed: " in done.stderr
    faults = {
        one["place"].rsplit(": ")[-1]: one["what"] for one in map(json.loads, report.read_text().splitlines()[:-1])
    }
    assert faults == {"item 1": "changed", "item 2": "refused"}
    assert "Carl has a boat" in found(serving, "Carl boat")
    assert not any("cherries" in text for text in found(serving, "Carl cherries"))


def test_a_transcript_becomes_captures_once(serving: Serving) -> None:
    transcript = str(SAMPLES / "transcript.jsonl")
    first = serving.run("import", "claude-code", transcript)
    assert "6 read: 6 recorded, 0 already recorded." in first.stdout, first.stdout + first.stderr
    second = serving.run("import", "claude-code", transcript)
    assert "6 read: 0 recorded, 6 already recorded." in second.stdout
    captured = serving.ask("GET", "captures?session_id=s-1&limit=50")["results"]
    assert {one["content"] for one in captured} >= {"Fix the login", "Read: Reading file login.py"}
    assert all(one["created_at"].startswith("2026-02-01T1") for one in captured)


def test_an_import_that_is_killed_goes_on_and_records_each_once(serving: Serving, tmp_path: Path) -> None:
    path = tmp_path / "memory.jsonl"
    names = [f"gadget{number}" for number in range(1_500)]
    with path.open("w") as file:
        for name in names:
            line = {"type": "entity", "name": name, "entityType": "thing", "observations": [f"{name} is in the shop"]}
            file.write(json.dumps(line) + "\n")
    variables = {"PYTHONPATH": str(ROOT), **serving.variables(serving.agent)}
    process = subprocess.Popen([*SUTURE, "import", "mcp-memory", str(path)], env=variables, cwd=ROOT)

    def recorded() -> int:
        page = serving.ask("GET", "events?session_id=import:mcp-memory&limit=200")
        return len(page["results"])

    until = time.monotonic() + 60
    while not recorded() and time.monotonic() < until and process.poll() is None:
        time.sleep(0.02)
    process.kill()
    process.wait()
    done = serving.run("import", "mcp-memory", str(path))
    assert done.returncode == 0, done.stderr
    counts = [int(word.replace(",", "")) for word in done.stdout.replace(":", " ").split() if word[0].isdigit()]
    assert (counts[0], counts[1] + counts[2], counts[2] > 0) == (1_500, 1_500, True)
    for name in (names[0], names[750], names[-1]):
        texts = [text for text in found(serving, f'"{name}"') if text.startswith(f"{name}: ")]
        assert texts == [f"{name}: {name} is in the shop"]


def test_markdown_notes_are_imported_once_and_a_changed_one_again(serving: Serving, tmp_path: Path) -> None:
    notes = tmp_path / "imported notes"
    notes.mkdir()
    (notes / "MEMORY.md").write_text("# Memory\n\nThe tests need a running server.\n")
    (notes / "style.md").write_text("Prefer short sentences.\n")
    (notes / "data.json").write_text("{}")
    for kind in ("claude-memory", "basic-memory"):
        checked = serving.run("import", kind, str(notes), "--dry-run")
        assert (checked.returncode, checked.stderr) == (0, "")
        assert checked.stdout == "Dry run: 2 would be sent.\n"
    first = serving.run("import", "claude-memory", str(notes))
    assert (first.returncode, "2 read: 2 recorded, 0 already recorded." in first.stdout) == (0, True), first.stdout
    again = serving.run("import", "claude-memory", str(notes))
    assert "2 read: 0 recorded, 2 already recorded." in again.stdout
    (notes / "style.md").write_text("Prefer shorter sentences.\n")
    changed = serving.run("import", "basic-memory", str(notes))
    assert "2 read: 1 recorded, 1 already recorded." in changed.stdout
    listed = serving.ask("GET", "captures?session_id=watch:imported notes")["results"]
    assert {one["source"]["file_path"] for one in listed} == {"MEMORY.md", "style.md"}
    assert "Prefer shorter sentences." in {one["content"] for one in listed}


def test_a_directory_without_notes_is_refused(serving: Serving, tmp_path: Path) -> None:
    for kind in ("claude-memory", "basic-memory"):
        done = serving.run("import", kind, str(tmp_path))
        assert (done.returncode, "has nothing to import" in done.stderr) == (2, True)


def test_a_phrase_is_corrected_and_forgotten_everywhere(serving: Serving) -> None:
    for text in ("The gate code is heron-41", "Heron 41 opens the gate"):
        serving.record(text)
    corrected = serving.run("correct", "heron-41", "egret-52", "--everywhere", "--reason", "It was changed")
    assert corrected.stdout.startswith("Corrected in 2 memories. Edit "), (corrected.stdout, corrected.stderr)
    assert sorted(found_by_words(serving, "egret-52")) == ["The gate code is egret-52", "egret-52 opens the gate"]
    forgotten = serving.run("forget", "egret-52", "--reason", "It is secret")
    assert forgotten.stdout.startswith("Forgotten in 2 memories. Edit "), (forgotten.stdout, forgotten.stderr)
    assert found_by_words(serving, "egret-52") == []
    twice = serving.run("correct", "egret-52", "x", "--text", "y", "--everywhere", "--reason", "z")
    assert (twice.returncode, "Give the new text once" in twice.stderr) == (2, True)


def test_an_export_of_claude_is_found_out_and_recorded(serving: Serving) -> None:
    given = ("import", "auto", str(SAMPLES / "claude.json"), "--subject", "user:ann")
    imported = serving.run(*given)
    assert "is an export of claude.ai: claude." in imported.stderr
    assert "6 read: 6 recorded, 0 already recorded." in imported.stdout, imported.stdout
    assert "Where do I get tea?" in found(serving, "tea")
    assert "6 read: 0 recorded, 6 already recorded." in serving.run(*given).stdout
