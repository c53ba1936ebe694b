"""A stack of the first baseline is upgraded: its memory, its decisions and its proof are there.

`baseline.tar.xz` has what an operator keeps: a dump (`make dump`, stored without compression), the secrets, the tree
heads and the checkpoints of a home in which the migrations were applied as they were at the baseline; and the keys of
two of its people. It is never made again: from the baseline on, migrations are kept.
"""

import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memory_project.stack.processes import free_port
from tests.stack import running

pytestmark = [pytest.mark.slow, pytest.mark.stack]

KEPT = Path(__file__).with_name("baseline.tar.xz")


class Upgraded:
    """A running stack of today over the memory of then."""

    def __init__(self, home: Path, port: int, keys: dict[str, str]) -> None:
        self.home, self.port, self._keys = home, port, keys

    def ask(self, who: str, path: str, body: dict[str, Any] | None = None) -> Any:
        """The JSON that the API answers to `agent` or `reviewer`."""
        headers = {"Authorization": f"Bearer {self._keys[who]}", "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/api/v1/{path}", data, headers)
        with urllib.request.urlopen(request, timeout=running.HANGS) as answer:
            return json.load(answer)

    def found(self, query: str) -> list[str]:
        """The texts that a search by words finds."""
        answer = self.ask("agent", "chunks/search", {"query": query, "mode": "keyword"})
        return [chunk["text"] for chunk in answer["chunks"]]


@pytest.fixture(scope="module")
def upgraded() -> Iterator[Upgraded]:
    place = Path(tempfile.mkdtemp(prefix="suture-test-"))
    place.chmod(0o711)  # the user of PostgreSQL reaches it
    with tarfile.open(KEPT) as kept:
        kept.extractall(place, filter="data")
    home = place / "home"
    restored = running.stack(home, "restore", str(place / "suture.dump"))
    assert restored.returncode == 0, restored.stderr
    port = free_port()
    stack = running.RunningStack(home, port)
    try:
        stack.wait_until_ready()
        yield Upgraded(home, port, json.loads((place / "keys.json").read_text()))
    finally:
        stack.process.terminate()
        stack.wait()
        shutil.rmtree(place)


def test_memory_reads_as_it_was_corrected(upgraded: Upgraded) -> None:
    assert upgraded.found("billing issue") == ["John Doe called about a billing issue"]
    assert upgraded.found("green tea") == []
    assert upgraded.found("refund limit") == ["The refund limit is 2500"]
    (own,) = upgraded.ask("agent", "chain?type=memory")["results"]
    assert own["content"] == "Jack prefers answers in German"


def test_what_waited_is_decided_and_new_memory_is_recorded(upgraded: Upgraded) -> None:
    (waiting,) = upgraded.ask("reviewer", "edits?status=pending")["results"]
    decided = upgraded.ask("reviewer", f"edits/{waiting['edit_id']}/approve", {"reason": "Agreed"})
    assert decided["status"] == "approved"
    assert upgraded.found("refund limit") == []
    event = {"session_id": "call-18", "channel": "private", "actor_type": "agent", "actor_id": "support-agent"}
    upgraded.ask("agent", "events", {**event, "kind": "message", "content": {"text": "The parcel arrived"}})
    assert upgraded.found("parcel") == ["The parcel arrived"]


def test_a_saved_state_is_restored(upgraded: Upgraded) -> None:
    latest = upgraded.ask("agent", "sessions/trip-7/checkpoints/latest")
    restored = upgraded.ask("agent", f"checkpoints/{latest['id']}/restore", {})
    assert restored["state"]["working_memory"] == {"plan": ["book"]}


@pytest.mark.parametrize("command", ["verify_chain", "verify_effective"])
def test_the_ledger_and_the_projections_verify(upgraded: Upgraded, command: str) -> None:
    said = subprocess.run(
        [sys.executable, "manage.py", command],
        cwd=running.ROOT,
        env=running.environment(upgraded.home),
        capture_output=True,
        text=True,
        timeout=running.HANGS,
        check=False,
    )
    assert said.returncode == 0, said.stdout + said.stderr
