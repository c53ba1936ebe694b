"""The command: what it gives to what it runs, and one line for each thing an operator can get wrong."""

import json
import os
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from memory_project.stack import watching

from .running import HANGS, ROOT, STACK, assert_one_line, environment, eventually, left_running, stack

pytestmark = pytest.mark.stack

PUBLISHED = {"DATABASE_URL", "DATABASE_REVIEW_URL", "REDIS_URL"}
RESTRICTED = {"DATABASE_OWNER_URL", "DATABASE_SESSION_URL", "DATABASE_OPERATOR_URL", "DATABASE_VERIFIER_URL"}


def test_a_taken_port_is_one_line_before_anything_starts(home: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert_one_line(stack(home, "up", PORT=str(port)), f"127.0.0.1:{port}", "in use")
    assert not home.exists()


@pytest.mark.parametrize("port", ["http", "0", "99999"])
def test_a_port_that_is_none_is_one_line(home: Path, port: str) -> None:
    assert_one_line(stack(home, "up", PORT=port), "PORT", port)


def test_a_home_that_is_a_file_is_one_line(home: Path) -> None:
    home.write_text("mine")
    assert_one_line(stack(home, "run", "--", "true"), "not a directory", str(home))
    assert home.read_text() == "mine"


def test_a_home_below_a_missing_directory_is_one_line(home: Path) -> None:
    assert_one_line(stack(home / "deeper", "run", "--", "true"), "does not exist", str(home))


def test_somebody_elses_directory_is_not_made_a_home(home: Path) -> None:
    home.mkdir()
    (home / "thesis.tex").touch()
    assert_one_line(stack(home, "run", "--", "true"), "not Suture's", str(home))
    assert_one_line(stack(home, "clean"), "not Suture's", str(home))
    assert [entry.name for entry in home.iterdir()] == ["thesis.tex"]


def test_a_watched_directory_that_is_missing_is_one_line(home: Path, port: int) -> None:
    result = stack(home, "up", PORT=str(port), SUTURE_WATCH=str(home / "missing"))
    assert_one_line(result, f"Watch directory does not exist: {home / 'missing'}")


def test_watched_directories_of_one_name_are_one_line_that_says_how_to_name_them(
    home: Path, port: int, tmp_path: Path
) -> None:
    same = [tmp_path / "a" / "notes", tmp_path / "b" / "notes"]
    for directory in same:
        directory.mkdir(parents=True)
    watched = f"{same[0]}:{same[1]}"
    for names in ("", "one"):
        result = stack(home, "up", PORT=str(port), SUTURE_WATCH=watched, SUTURE_WATCH_NAMES=names)
        assert_one_line(result, "SUTURE_WATCH_NAMES, one for each directory, in their order, : between")


def test_watched_directories_are_given_to_the_watcher_with_their_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUTURE_WATCH", str(tmp_path))
    assert watching.arguments() == [str(tmp_path)]
    monkeypatch.setenv("SUTURE_WATCH_NAMES", "mine")
    assert watching.arguments() == [str(tmp_path), "--name", "mine"]


def test_some_database_urls_without_the_others_are_one_line(home: Path, port: int) -> None:
    result = stack(home, "up", PORT=str(port), DATABASE_URL="postgresql://app@127.0.0.1/suture")
    assert_one_line(result, "DATABASE_OWNER_URL", "DATABASE_REVIEW_URL", "DATABASE_SUPERUSER_URL")


def test_a_server_that_cannot_be_reached_is_one_line(home: Path, port: int) -> None:
    # nobody listens on the port of the web server yet
    result = stack(
        home,
        "up",
        PORT=str(port),
        DATABASE_SUPERUSER_URL=f"postgresql://a:secret@127.0.0.1:{port}/postgres",
    )
    assert_one_line(result, "could not be prepared", str(port))
    assert "secret" not in result.stderr


def test_a_command_that_does_not_exist_is_one_line(home: Path) -> None:
    assert_one_line(stack(home, "run", "--", "no-such-program"), "no-such-program")
    assert left_running(home) == []


def test_run_gives_the_variables_and_takes_the_exit_code(home: Path) -> None:
    # An operator's own server is not what tests shall run in.
    code = "import json, os; print(json.dumps(dict(os.environ))); raise SystemExit(7)"
    live = {"DATABASE_URL": "postgresql://live/x", "DATABASE_SUPERUSER_URL": "postgresql://root@live/x"}
    result = stack(home, "run", "--ephemeral", "--", sys.executable, "-c", code, **live)
    assert result.returncode == 7, result.stderr
    given = json.loads(result.stdout.splitlines()[-1])
    assert given.keys() >= PUBLISHED | RESTRICTED
    assert "DATABASE_SUPERUSER_URL" not in given
    assert "suture_app" in given["DATABASE_URL"]
    assert not Path(given["SUTURE_HOME"]).exists()
    assert not home.exists()


def test_run_passes_a_signal_on_and_reports_it(home: Path) -> None:
    running = subprocess.Popen([*STACK, "run", "--", "sleep", "300"], cwd=ROOT, env=environment(home))
    eventually(lambda: any(b"sleep" in _command(pid) for pid in left_running(home)))
    running.terminate()
    assert running.wait(HANGS) == 128 + 15
    assert left_running(home) == []


def test_a_signal_that_comes_while_the_command_is_started_is_passed_on_too(home: Path) -> None:
    code = (
        "import os, signal, subprocess, sys; from memory_project.stack import __main__\n"
        "class Popen(subprocess.Popen):\n"
        "    def __init__(self, command, **arguments):\n"
        "        super().__init__(command, **arguments)\n"
        "        if command[0] == 'sleep': os.kill(os.getpid(), signal.SIGTERM)\n"
        "subprocess.Popen = Popen\n"
        "sys.exit(__main__.main())\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", code, "run", "--", "sleep", "300"],
        cwd=ROOT,
        env=environment(home),
        timeout=HANGS,
        check=False,
    )
    assert result.returncode == 128 + 15
    assert left_running(home) == []


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0]
    except OSError:
        return b""


def test_a_running_stack_is_published_to_its_user_only_and_holds_its_home(home: Path) -> None:
    running = subprocess.Popen([*STACK, "run", "--", "sleep", "300"], cwd=ROOT, env=environment(home))
    published = home / "stack.json"
    eventually(published.exists)
    assert json.loads(published.read_text()).keys() == PUBLISHED
    kept = {path.name for path in (home / "secrets").iterdir()}
    assert kept == {"roles.json", *RESTRICTED}  # no superuser's password
    for path in (published, home / "lock", *(home / "secrets").iterdir()):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600, path
    assert stat.S_IMODE((home / "log").stat().st_mode) == 0o700
    assert_one_line(stack(home, "run", "--", "true"), "already running", str(running.pid))
    assert_one_line(stack(home, "clean"), "already running")
    assert stack(home, "status").returncode == 0
    running.terminate()
    running.wait(HANGS)
    assert not published.exists()
    assert {path.name for path in (home / "secrets").iterdir()} == {"roles.json"}
    assert stack(home, "status").returncode == 3
    assert stack(home, "clean").returncode == 0
    assert not home.exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root's servers run as another user")
def test_root_below_a_closed_directory_gets_a_place_for_the_data_and_is_told(place: Path) -> None:
    # The clone is somewhere PostgreSQL's user cannot go, and nobody chose a home.
    clone = place / "clone"
    clone.mkdir(mode=0o700)
    variables = environment(place)
    del variables["SUTURE_HOME"]
    code = (
        "import pathlib, sys; from memory_project import environment; "
        "from memory_project.stack import __main__; "
        f"environment.HOME = pathlib.Path({str(clone / '.suture')!r}); sys.exit(__main__.main())"
    )

    def command(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", code, *arguments],
            cwd=ROOT,
            env=variables,
            capture_output=True,
            text=True,
            timeout=HANGS,
            check=False,
        )

    result = command("run", "--", "true")
    data = (clone / ".suture" / "pg18").resolve()
    try:
        assert result.returncode == 0, result.stderr
        assert f"PostgreSQL's data is in {data.parent}" in result.stdout
        assert (data / "PG_VERSION").exists()
        # said once; a slow start may be told of again
        assert "PostgreSQL's data is in" not in command("run", "--", "true").stdout
    finally:
        assert command("clean").returncode == 0
    assert not data.parent.exists()
