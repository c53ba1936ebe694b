"""`suture watch` as people and supervisors run it."""

import json
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from suture_client.watching.events import LIMIT_REACHED

from .server import KEY, FileServer, served

pytestmark = [pytest.mark.slow, pytest.mark.stack]

NOTES = "watch:notes"
#: The longest wait in seconds.
HANGS = 30.0


@pytest.fixture
def server() -> Iterator[FileServer]:
    with served(FileServer()) as server:
        yield server


@pytest.fixture
def command(server: FileServer, tmp_path: Path) -> Iterator["Command"]:
    command = Command(server, tmp_path / "state")
    yield command
    for process in command.started:
        process.kill()
        process.communicate()


class Command:
    """Runs `suture watch`."""

    def __init__(self, server: FileServer, state: Path) -> None:
        self.variables = {
            "SUTURE_URL": server.url,
            "SUTURE_KEY": KEY,
            "SUTURE_STATE_DIR": str(state),
            "HOME": str(state),
        }
        self.started: list[subprocess.Popen[str]] = []

    def start(self, *arguments: str | Path, within: tuple[str, ...] = ()) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [*within, sys.executable, "-m", "suture_client.entry", "watch", *map(str, arguments)],
            cwd=Path(__file__).parents[2],
            env=self.variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.started.append(process)
        return process

    def run(self, *arguments: str | Path) -> tuple[int, str]:
        process = self.start(*arguments)
        output, errors = process.communicate(timeout=HANGS)
        assert output == ""
        return process.returncode, errors


def test_once_brings_memory_up_to_date_and_ends(notes: Path, server: FileServer, command: Command) -> None:
    (notes / "a.md").write_text("Text.")
    (notes / "bad.md").write_bytes(b"\xff")
    code, errors = command.run(notes, "--once", "--without-embeddings")
    assert code == 0
    assert errors.splitlines() == [
        f"Watching {notes} as watch:notes",
        f"error: Skipping non-UTF8 file: {notes}/bad.md",
        "notes: scanned 2 files: 1 added, 0 changed, 0 renamed, 0 deleted, 0 unchanged, 1 skipped, 0 failed;"
        " chunks: 1 added, 0 kept, 0 superseded",
    ]
    assert server.file(NOTES, "a.md")["compute_embedding"] is False


def test_once_that_could_not_store_everything_exits_with_1(notes: Path, server: FileServer, command: Command) -> None:
    (notes / "a.md").write_text("Text.")
    server.refuse = lambda what, body: (500, {"title": "Failed"}) if what == "POST /files" else None
    code, errors = command.run(notes, "--once")
    assert code == 1
    assert "error: Failed to store memory: Failed" in errors


def test_a_missing_directory_is_an_error_and_a_non_zero_exit(notes: Path, command: Command, tmp_path: Path) -> None:
    code, errors = command.run(notes, tmp_path / "missing")
    assert (code, errors) == (1, f"Watch directory does not exist: {tmp_path}/missing\n")


def test_no_key_and_a_wrong_key_are_errors(notes: Path, command: Command) -> None:
    command.variables["SUTURE_KEY"] = "sut_12345678_wrong"
    code, errors = command.run(notes)
    assert code == 1
    assert "The API key is not valid." in errors
    del command.variables["SUTURE_KEY"]
    code, errors = command.run(notes)
    assert code == 1
    assert "No key is set" in errors


def test_a_server_that_is_away_makes_once_exit_with_1(notes: Path, command: Command) -> None:
    command.variables["SUTURE_URL"] = "http://127.0.0.1:9"
    code, errors = command.run(notes, "--once")
    assert code == 1
    assert "Suture cannot be reached at http://127.0.0.1:9" in errors


def lines_to(process: subprocess.Popen[str], text: str) -> list[str]:
    """The lines of the log up to the one that has the text."""
    assert process.stderr is not None
    found: list[str] = []
    for line in process.stderr:
        found.append(line)
        if text in line:
            return found
    raise AssertionError(f"{text} was not said: {found}")


def test_changes_are_noticed_as_they_happen(notes: Path, server: FileServer, command: Command) -> None:
    (notes / "a.md").write_text("Text.")
    lines_to(command.start(notes), "scanned")

    def happens(condition: Callable[[], bool]) -> bool:
        with server.answered:
            return server.answered.wait_for(condition, HANGS)

    (notes / "new").mkdir()
    (notes / "new" / "b.md").write_text("New.")
    assert happens(lambda: server.paths(NOTES) == {"a.md", "new/b.md"})
    (notes / "new" / "b.md").write_text("Changed.")
    assert happens(lambda: server.texts(NOTES, "new/b.md") == ["Changed."])
    (notes / "new").rename(notes / "old")
    assert happens(lambda: server.paths(NOTES) == {"a.md", "old/b.md"})
    (notes / "old" / "b.md").unlink()
    assert happens(lambda: server.paths(NOTES) == {"a.md"})
    assert len(server.sent("POST /files/renamed")) == 1


@pytest.mark.parametrize("signum", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_it_cleanly(notes: Path, server: FileServer, command: Command, signum: signal.Signals) -> None:
    process = command.start(notes)
    lines_to(process, "scanned")
    process.send_signal(signum)
    _, errors = process.communicate(timeout=HANGS)
    assert (process.returncode, errors) == (0, "Stopped.\n")


def test_a_frozen_server_does_not_keep_it_from_ending(notes: Path, server: FileServer, command: Command) -> None:
    server.thawed.clear()
    process = command.start(notes)
    assert server.asked.wait(HANGS)
    process.terminate()
    _, errors = process.communicate(timeout=HANGS)
    assert errors.endswith("Stopped.\n")


def test_two_watchers_of_one_directory_are_refused(notes: Path, command: Command) -> None:
    first = command.start(notes)
    lines_to(first, "Watching")
    code, errors = command.run(notes, "--once")
    assert code == 1
    assert errors == f"notes is already being watched: {notes} by process {first.pid}.\n"


def test_its_log_can_be_json(notes: Path, server: FileServer, command: Command) -> None:
    (notes / "bad.md").write_bytes(b"\xff")
    code, errors = command.run(notes, "--once", "--log-json")
    assert code == 0
    lines = [json.loads(line) for line in errors.splitlines()]
    assert [(line["level"], line["message"]) for line in lines][1] == (
        "ERROR",
        f"Skipping non-UTF8 file: {notes}/bad.md",
    )


def test_the_ignore_lists_of_the_configuration_count(notes: Path, server: FileServer, command: Command) -> None:
    (notes / "a.md").write_text("Text.")
    (notes / "diary.md").write_text("Text too.")
    command.variables["SUTURE_IGNORE_PATHS"] = "diary.md"
    assert command.run(notes, "--once")[0] == 0
    assert server.paths(NOTES) == {"a.md"}


@pytest.mark.skipif(
    shutil.which("unshare") is None
    or subprocess.run(["unshare", "-r", "test", "-w", "/proc/sys/user/max_inotify_watches"], check=False).returncode
    != 0,
    reason="needs a user namespace of its own, with limits of its own",
)
def test_the_kernels_limit_is_recognised(notes: Path, server: FileServer, command: Command) -> None:
    for number in range(8):
        (notes / f"d{number}").mkdir()
        (notes / f"d{number}" / "a.md").write_text(f"Note {number}.")
    limited = 'echo 3 > /proc/sys/user/max_inotify_watches; exec "$0" "$@"'
    process = command.start(notes, within=("unshare", "-r", "sh", "-c", limited))
    lines_to(process, LIMIT_REACHED)
    assert len(server.paths(NOTES)) == 8
    process.terminate()
    assert process.wait(HANGS) == 0
