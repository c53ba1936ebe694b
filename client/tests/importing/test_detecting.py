"""`suture import auto` finds out the kind of a source, or says that it cannot."""

import json
import shutil

import pytest

from suture_client.importing.kinds import MODULES
from tests.importing.conftest import SAMPLES

pytestmark = pytest.mark.pure

KINDS = {
    "claude.json": "claude",
    "conversations.json": "chatgpt",
    "graphiti-neo4j.jsonl": "zep",
    "graphiti.json": "zep",
    "loop.af": "letta",
    "mem0-export-webshop-2026-05-01.md": "mem0",
    "mem0.json": "mem0",
    "memory.jsonl": "mcp-memory",
    "transcript.jsonl": "claude-code",
}
EXPORTED = {"id": "1", "text": "tea", "metadata": {}, "chunk_ids": [], "edits_applied": []}
NOTE = "---\ntitle: Tea\ntype: note\npermalink: tea\n---\n- [fact] Oolong\n"


def test_every_sample_has_its_kind(run, subtests):
    assert KINDS.keys() == {path.name for path in SAMPLES.iterdir()}
    for name, kind in KINDS.items():
        with subtests.test(name):
            named, found = run(kind, name, "--dry-run"), run("auto", name, "--dry-run")
            assert f": {kind}." in found.output
            assert found.output.endswith(named.output)
            assert found.exit_code == named.exit_code


@pytest.mark.parametrize(
    ("files", "kind"),
    [
        ({"export.jsonl": json.dumps(EXPORTED)}, "suture"),
        ({"CLAUDE.md": "Use pytest."}, "claude-memory"),
        ({"tea.md": NOTE}, "basic-memory"),
    ],
)
def test_kinds_without_a_sample(run, tmp_path, files, kind):
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    assert f": {kind}." in run("auto", tmp_path if kind == "basic-memory" else tmp_path / next(iter(files))).output


def test_a_directory_is_read_by_what_is_in_it(run, tmp_path):
    (tmp_path / "a.jsonl").write_bytes(b"")
    shutil.copy(SAMPLES / "transcript.jsonl", tmp_path / "b.jsonl")
    assert ": claude-code." in run("auto", tmp_path, "--dry-run").output


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"a.json": '[{"words": "tea"}]'}, "looks like no kind that Suture knows."),
        ({"a.txt": "hello"}, "looks like no kind that Suture knows."),
        ({"a.json": ""}, "is empty."),
        ({"a.bin": "\0"}, "is a binary file, not text."),
        (
            {"CLAUDE.md": "x", "tea.md": NOTE},
            "looks like the memory files of Claude Code and like notes of basic-memory.",
        ),
        ({}, "looks like no kind that Suture knows."),
    ],
)
def test_what_is_unclear_is_refused(api, run, tmp_path, files, said):
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    done = run("auto", tmp_path / next(iter(files)) if len(files) == 1 else tmp_path)
    assert (done.exit_code, said in done.output) == (2, True), done.output
    assert ("looks like" in said) == all(name in done.output for name in MODULES)
    assert not api.requests


def test_standard_input_and_a_missing_file_are_refused(run, tmp_path):
    assert "Standard input can be read only once. Name its kind: claude-code" in run("auto", "-").output
    assert "There is no file" in run("auto", tmp_path / "none").output
