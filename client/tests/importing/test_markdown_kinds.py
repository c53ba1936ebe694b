"""Markdown memory: the files that are found, and the reports about others.

Formats: https://code.claude.com/docs/en/memory; github.com/basicmachines-co/basic-memory, docs/NOTE-FORMAT.md.
"""

import pytest

pytestmark = pytest.mark.pure

NOTE = """---
title: Coffee Brewing Methods
type: note
permalink: coffee-brewing-methods
---

- [method] Pour over provides more flavor clarity than French press #brewing
- relates_to [[Coffee Bean Origins]]
"""


@pytest.fixture
def notes(tmp_path):
    place = tmp_path / "notes"
    (place / ".claude" / "rules").mkdir(parents=True)
    (place / "CLAUDE.md").write_text("Use pytest.\n")
    (place / ".claude" / "rules" / "style.md").write_text("Write short sentences.\n")
    (place / "coffee.md").write_text(NOTE)
    return place


def test_claude_memory_is_the_memory_files_and_rules_only(run, notes):
    done = run("claude-memory", notes, "--dry-run")
    assert (done.exit_code, done.output) == (0, "Dry run: 2 would be sent.\n")


def test_basic_memory_is_every_note(run, notes):
    done = run("basic-memory", notes, "--dry-run")
    assert (done.exit_code, done.output) == (0, "Dry run: 3 would be sent.\n")


@pytest.mark.parametrize("kind", ["claude-memory", "basic-memory"])
def test_ignore_lists_hold_for_markdown(run, notes, monkeypatch, kind):
    monkeypatch.setenv("SUTURE_IGNORE_PATHS", "CLAUDE.md")
    done = run(kind, notes, "--dry-run")
    assert f"Dry run: {1 if kind == 'claude-memory' else 2} would be sent." in done.output


@pytest.mark.parametrize("kind", ["claude-memory", "basic-memory"])
def test_a_binary_file_is_reported_and_the_others_are_read(run, notes, kind):
    (notes / "MEMORY.md").write_bytes(b"\xff\xfe\x00")
    done = run(kind, notes, "--dry-run")
    assert done.exit_code == 1
    assert f"Skipping non-UTF8 file: {notes / 'MEMORY.md'}" in done.output


def test_a_link_out_of_the_directory_is_named(run, notes, tmp_path):
    (tmp_path / "secret.md").write_text("not yours")
    (notes / "secret.md").symlink_to(tmp_path / "secret.md")
    done = run("basic-memory", notes, "--dry-run")
    assert done.exit_code == 1
    assert "secret.md: its target is outside" in done.output
    assert "1 not understood." in done.output


def test_a_subject_is_not_for_markdown(run, notes):
    done = run("basic-memory", notes, "--dry-run", "--subject", "user:ann")
    assert done.exit_code == 2
    assert "--subject does not apply to Markdown files" in done.output
