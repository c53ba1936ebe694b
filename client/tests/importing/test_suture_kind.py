"""A file of `suture export` comes back with `suture import suture`."""

import json
import stat
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from suture_client import Memory, export
from suture_client.cli import app
from suture_client.http import Api
from suture_client.importing import upload
from suture_client.testing import FakeServer

pytestmark = pytest.mark.pure


@pytest.fixture
def servers(monkeypatch: pytest.MonkeyPatch) -> list[FakeServer]:
    """The servers that the next commands use, each for one."""
    found: list[FakeServer] = []
    monkeypatch.setenv("SUTURE_KEY", "sut_x")
    monkeypatch.setattr(export, "Memory", lambda url, key: Memory(url, key, transport=found.pop(0)))
    monkeypatch.setattr(upload, "Api", lambda *given, **named: Api(*given, **named, transport=found.pop(0)))
    return found


def run(*words: str) -> Any:
    return CliRunner().invoke(app, [*words], catch_exceptions=False)


def made(server: FakeServer) -> Memory:
    memory = Memory(transport=server)
    ada = memory.about("user:ada", session="call-17", project="tea", channel="team")
    ada.remember("Ada drinks oolong", key="drink", metadata={"topic": "food"}, tags=["a"])
    ada.remember(value={"likes": ["tea"]}, ttl=3600)
    memory.remember("Nobody's note")
    return memory


def kept(memory: Memory) -> list[dict[str, Any]]:
    """What an import keeps, oldest first."""
    differs = {"chunk_ids", "updated_at", "expires_at"}
    found = [{name: value for name, value in one.items() if name not in differs} for one in memory.export()]
    return sorted(found, key=lambda one: str(one["created_at"]))


def test_an_export_comes_back_as_it_was(servers: list[FakeServer], tmp_path: Path) -> None:
    old, new, file = FakeServer(), FakeServer(), tmp_path / "memory.jsonl"
    servers += [old, new, new]
    before = made(old)
    exported = run("export", str(file))
    assert (exported.exit_code, exported.stderr) == (0, "3 memories exported.\n")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert len(file.read_text().splitlines()) == 3
    assert run("import", "suture", str(file)).exit_code == 0
    after = Memory(transport=new)
    assert kept(after) == kept(before)
    assert [one.expires_at is not None for one in after.memories()].count(True) == 1
    assert "3 already" in run("import", "suture", str(file)).output


def test_only_a_subject_is_exported_to_standard_output(servers: list[FakeServer]) -> None:
    servers.append(FakeServer())
    made(servers[0])
    exported = run("export", "-", "--subject", "user:ada")
    assert [json.loads(line)["subject_id"] for line in exported.stdout.splitlines()] == ["ada", "ada"]


def test_secrets_are_masked_and_hidden_memory_stays_out(servers: list[FakeServer], tmp_path: Path) -> None:
    server, file = FakeServer(), tmp_path / "memory.jsonl"
    servers.append(server)
    memory: dict[str, Any] = {
        "id": "0198c0de-0000-7000-8000-0000000000a1",
        "text": "x",
        "metadata": {},
        "chunk_ids": [],
    }
    memory |= {"edits_applied": 0, "created_at": "2026-01-01T00:00:00Z", "channel": "private"}
    lines = [
        {**memory, "metadata": {"key": "AKIAQ3EGRJXLZ5TPWX4N"}},
        {**memory, "is_quarantined": True},
        {**memory, "expires_at": "2026-01-02T00:00:00Z"},
    ]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    done = run("import", "suture", str(file))
    assert done.exit_code == 0
    assert "1 left out: quarantined memory" in done.output
    assert "1 left out: expired memory" in done.output
    [found] = Memory(transport=server).memories()
    assert "AKIA" not in json.dumps(dict(found.metadata))


def test_another_file_is_not_an_export(tmp_path: Path) -> None:
    file = tmp_path / "memory.jsonl"
    file.write_text('{"text": "x"}\n')
    done = run("import", "suture", str(file), "--dry-run")
    assert done.exit_code == 1
    assert "line 1: This is not a memory of Suture" in done.output


def test_a_file_that_cannot_be_written_is_named(servers: list[FakeServer], tmp_path: Path) -> None:
    servers.append(FakeServer())
    done = run("export", str(tmp_path / "none" / "memory.jsonl"))
    assert done.exit_code == 1
    assert "memory.jsonl cannot be written: No such file or directory." in done.stderr
