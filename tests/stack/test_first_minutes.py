"""What a person meets in the first minutes: steps, credentials, logs, a second start, the demo on any port."""

import http.client
import json
import re
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from memory_project.stack import logs, progress
from memory_project.stack.credentials import Credential, as_shell
from memory_project.stack.logs import Logs

from .running import HANGS, ROOT, RunningStack, assert_one_line, environment, eventually, stack


@pytest.fixture
def running(home: Path, port: int) -> Iterator[SimpleNamespace]:
    """A stack that is ready, with its requests logged."""
    started = RunningStack(home, port, LOG_LEVEL="INFO")
    try:
        started.wait_until_ready()
        eventually(lambda: "Press Ctrl-C to stop" in started.output)
        yield SimpleNamespace(stack=started, home=home, port=port)
    finally:
        started.process.terminate()
        started.wait()


def ask(port: int, path: str, key: str = "", **headers: str) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=HANGS)
    given = {"Authorization": f"Bearer {key}"} if key else {}
    connection.request("GET", path, headers={**given, **headers})
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer


def manage(home: Path, *arguments: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env=environment(home, **variables),
        capture_output=True,
        text=True,
        timeout=HANGS,
        check=False,
    )


@pytest.mark.stack
def test_the_first_minutes(running: SimpleNamespace) -> None:
    home, port, output = running.home, running.port, running.stack.output

    steps = re.findall(r"^\[(\d)/5\] (.*) \.\.\.$", output, re.MULTILINE)
    assert [number for number, _ in steps] == list("12345")
    assert steps[0][1] == "Creating a PostgreSQL database and starting it"
    assert len(re.findall(r"^      done \(\d+\.\d s\)$", output, re.MULTILINE)) == 5

    # the credentials are shown after everything else, and again until they are used
    credentials = dict(re.findall(r"^  agent  (\S+) +key +(\S+)$", output, re.MULTILINE))
    assert credentials.keys() == {"support-agent", "coding-agent"}
    kept = home / "secrets" / "first_credentials.json"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    again = stack(home, "credentials")
    assert again.returncode == 0
    assert again.stdout in output
    assert ask(port, "/api/v1/events", credentials["support-agent"]).status == 200
    left = stack(home, "credentials").stdout
    assert "support-agent" not in left
    assert credentials["support-agent"] not in kept.read_text()
    assert credentials["coding-agent"] in left
    for_shell = stack(home, "credentials", "--shell").stdout
    assert f"SUTURE_URL=http://127.0.0.1:{port}\n" in for_shell
    assert f"CODING_AGENT_KEY={credentials['coding-agent']}\n" in for_shell
    assert "BOB_PASSWORD=" in for_shell

    # requests are in the log, and not on the terminal
    log = home / "log" / "web.log"
    eventually(lambda: "/api/v1/events" in log.read_text())
    assert stat.S_IMODE(log.stat().st_mode) == 0o600
    assert "suture.request" not in running.stack.output

    # a second start finds the first, whatever its port
    for variables in ({}, {"PORT": str(port)}, {"PORT": "1"}):
        second = stack(home, "up", **variables)
        assert second.returncode == 0, second.stderr
        assert f"Suture is already running (process {running.stack.process.pid})" in second.stdout
        assert f"http://127.0.0.1:{port}/admin/" in second.stdout
    assert f"http://127.0.0.1:{port}" in stack(home, "status").stdout

    # and so does the demo, which leaves edits to decide
    shown = manage(home, "demo")
    assert shown.returncode == 0, shown.stderr
    assert f"8 edits wait for your decision. Log in as bob at http://127.0.0.1:{port}/admin/" in shown.stdout
    elsewhere = manage(home, "demo", PORT="1")
    assert elsewhere.returncode == 1
    assert f"A server runs at http://127.0.0.1:{port}. To use it, unset HOST and PORT." in elsewhere.stderr

    # a browser goes to the admin site, and a client is told where things are
    browser = ask(port, "/", Accept="text/html,application/xhtml+xml,*/*;q=0.8")
    assert (browser.status, browser.headers["Location"]) == (302, "/admin/")
    assert ask(port, "/", Accept="*/*").status == 200


@pytest.mark.stack
def test_credentials_without_a_stack_are_one_line(home: Path) -> None:
    assert_one_line(stack(home, "credentials"), "No stack is running", "make up")


@pytest.mark.pure
def test_a_slow_step_says_what_it_waits_for_and_at_once_what_else(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "EVERY", 0.05)
    monkeypatch.setattr(progress, "SOONER", 0.0)
    steps = progress.Steps(2)
    with steps.step("Creating or updating the tables"):
        steps.tell("applied memory.0001_tables")
        assert capsys.readouterr().out.endswith("working for 0 s: applied memory.0001_tables\n")
        steps.tell("applied memory.0001_tables")
        assert capsys.readouterr().out == ""
        deadline = time.monotonic() + HANGS
        while time.monotonic() < deadline and "working" not in (out := capsys.readouterr().out):
            time.sleep(0.02)
    assert "working for 0 s: applied memory.0001_tables" in out
    assert "done (" in capsys.readouterr().out
    with steps.step("Next"):
        assert capsys.readouterr().out.startswith("[2/2] Next ...")


@pytest.mark.pure
def test_a_step_that_fails_is_not_said_to_be_done(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(RuntimeError), progress.Steps(1).step("Creating or updating the tables"):
        raise RuntimeError
    assert "done" not in capsys.readouterr().out


class Written(Logs):
    """Logs to which this process writes."""

    def write(self, name: str, *lines: str) -> None:
        with self.open(name) as file:
            file.write("".join(f"{line}\n" for line in lines).encode())
        self.look()


@pytest.mark.pure
def test_full_logs_are_kept_and_the_oldest_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "FILE_SIZE", 20)
    kept = Written(tmp_path)
    with kept.open("web") as held:  # by a process that goes on writing
        for number in range(20):
            held.write(f"line {number:02} of many\n".encode())
            held.flush()
            kept.look()
    assert {path.name for path in tmp_path.iterdir()} == {"web.log", "web.log.1", "web.log.2", "web.log.3"}
    assert (tmp_path / "web.log").read_text() == ""
    assert (tmp_path / "web.log.1").read_text() == "line 18 of many\nline 19 of many\n"
    assert (tmp_path / "web.log.3").read_text() == "line 14 of many\nline 15 of many\n"
    assert (tmp_path / "web.log.3").stat().st_mode & 0o777 == 0o600


@pytest.mark.pure
def test_a_log_may_be_emptied_or_taken_away(tmp_path: Path) -> None:
    kept = Written(tmp_path)
    kept.write("web", "a long first line", "a second one")
    (tmp_path / "web.log").write_text("")
    kept.write("web", "third")
    assert kept.tail("web").endswith("\na long first line\na second one\nthird")
    (tmp_path / "web.log").unlink()
    assert kept.look() == []


@pytest.mark.pure
def test_the_terminal_shows_errors_in_one_line_and_no_more_than_it_must(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "web.log").write_text('{"level": "ERROR", "message": "of an earlier start"}\n')
    kept = Written(tmp_path)
    kept.write("web", json.dumps({"level": "INFO", "logger": "suture.request", "message": "request"}), "no JSON")
    assert capsys.readouterr().out == ""
    failed = {"level": "ERROR", "message": "request failed: ProgrammingError", "request_id": "01a2", "exc_info": "..."}
    kept.write("web", *[json.dumps(failed)] * 50)
    (line,) = capsys.readouterr().out.splitlines()
    assert line == (f"web: error: request failed: ProgrammingError (request 01a2); see {tmp_path / 'web.log'}")
    assert kept.tail("web").count("\n") == logs.TAIL
    assert kept.tail("beat") == ""


@pytest.mark.pure
def test_all_lines_are_shown_where_the_terminal_is_to_have_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Written(tmp_path, to_terminal=True).write("web", "one", "two")
    assert capsys.readouterr().out == "web    | one\nweb    | two\n"


@pytest.mark.pure
def test_what_an_operator_has_to_know_is_shown_and_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Logs(tmp_path).tell("worker", "worker exited (exit code 3); restarting it in 1 s.")
    assert capsys.readouterr().out == "worker exited (exit code 3); restarting it in 1 s.\n"
    line = json.loads((tmp_path / "stack.log").read_text())
    assert (line["process"], line["message"]) == ("worker", "worker exited (exit code 3); restarting it in 1 s.")


@pytest.mark.pure
def test_a_status_is_drawn_on_a_terminal_only(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logs, "STATUS_EVERY", 0)
    kept = Written(tmp_path)
    kept.write("web", json.dumps({"level": "INFO", "logger": "suture.request"}))
    assert capsys.readouterr().out == ""
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    kept.count_restart()
    kept.look()
    assert "1 requests, 0 errors, 1 restarts. Press Ctrl-C to stop." in capsys.readouterr().out


@pytest.mark.pure
def test_credentials_for_a_shell_are_quoted() -> None:
    secret = Credential("demo", "user", "bob o'neil", "password", "a b'c$d")
    done = subprocess.run(
        ["sh", "-c", f"{as_shell([secret])}\nprintf %s \"$BOB_O_NEIL_PASSWORD\""],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout == "a b'c$d"


@pytest.mark.pure
def test_an_installation_that_fails_shows_why(tmp_path: Path) -> None:
    script = ROOT / "memory_project" / "stack" / "installing.py"
    done = subprocess.run(
        [sys.executable, "-P", script, "--no-index", "no-such-package-of-ours"],
        capture_output=True, text=True, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 1
    assert "no-such-package-of-ours" in done.stderr
