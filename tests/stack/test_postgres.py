"""The embedded PostgreSQL keeps what was committed, and says in one line what keeps it from starting."""

import os
import pwd
import signal
from pathlib import Path

import psycopg
import pytest

from memory_project.stack import postgres as postgres_module
from memory_project.stack.postgres import EmbeddedPostgres
from memory_project.stack.processes import StackError, processes_in
from memory_project.stack.unprivileged import server_user

from .running import HANGS, assert_one_line, stack

pytestmark = pytest.mark.stack


def committed_rows(server: EmbeddedPostgres) -> int:
    with psycopg.connect(server.url()) as connection:
        row = connection.execute("SELECT count(*) FROM kept").fetchone()
    assert row is not None
    return int(row[0])


def test_every_committed_row_survives_a_kill_of_the_postmaster(home: Path) -> None:
    home.mkdir(mode=0o711)
    server = EmbeddedPostgres(home)
    server.start()
    with psycopg.connect(server.url(), autocommit=True) as connection:
        connection.execute("CREATE TABLE kept (n int)")
        for n in range(500):
            connection.execute("INSERT INTO kept VALUES (%s)", [n])
        assert server.process is not None
        server.process.send_signal(signal.SIGKILL)
    # Not reaped here: the pid file names a zombie, as it does where nobody reaps orphans.
    again = EmbeddedPostgres(home)
    again.set_password()
    again.start()
    try:
        assert committed_rows(again) == 500
    finally:
        again.stop()
        server.process.wait()
    assert processes_in(home / "pg18", "postgres") == []


def test_the_server_ends_when_one_of_its_processes_is_killed(home: Path) -> None:
    home.mkdir(mode=0o711)
    server = EmbeddedPostgres(home, settings=postgres_module.EPHEMERAL_SETTINGS)
    server.start()
    try:
        connection = psycopg.connect(server.url(), autocommit=True)
        os.kill(connection.info.backend_pid, signal.SIGKILL)
        assert server.process is not None
        # recovery inside the server, which may hang for good, would keep it alive
        assert server.process.wait(HANGS) == 1
        connection.close()
    finally:
        server.stop()


def test_a_pid_file_that_names_another_program_does_not_keep_it_from_starting(home: Path) -> None:
    home.mkdir(mode=0o711)
    server = EmbeddedPostgres(home, settings=postgres_module.EPHEMERAL_SETTINGS)
    server.start()
    pid_file = home / "pg18" / "postmaster.pid"
    text = pid_file.read_text()
    server.stop()
    pid_file.write_text("\n".join([str(os.getpid()), *text.splitlines()[1:]]))
    server.start()
    server.stop()


def test_a_disk_without_room_for_another_file_of_the_log_is_full(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / "pg18").mkdir(parents=True)
    server = EmbeddedPostgres(home)
    assert not server.lacks_space()
    monkeypatch.setattr(postgres_module, "MIN_FREE_BYTES", 1 << 60)
    assert server.lacks_space()


def test_what_clients_are_answered_is_not_why_it_did_not_start() -> None:
    of_client = "2026-11-26 14:16:28.158 UTC [16003] suture_app@suture FATAL:  the database system is starting up"
    own = '2026-11-26 14:16:28.311 UTC [16004] @ FATAL:  could not write to file "pg_wal/x": No space left on device'
    assert postgres_module.reason_of([of_client, own, of_client]) == own
    unset = "2026-11-26 14:16:28.311 UTC [16004] FATAL:  unrecognized configuration parameter"
    assert postgres_module.reason_of([unset, of_client]) == unset
    assert postgres_module.reason_of([of_client]) == of_client
    assert postgres_module.reason_of([]) == ""


def test_a_backend_that_crashes_in_the_probe_is_put_down_to_the_processor(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The program's parent is the backend: what an instruction that the CPU lacks does to it.
    monkeypatch.setattr(postgres_module, "PROBE", ("COPY (SELECT 1) TO PROGRAM 'kill -ILL $PPID; sleep 1'",))
    home.mkdir(mode=0o711)
    server = EmbeddedPostgres(home, settings=postgres_module.EPHEMERAL_SETTINGS)
    with pytest.raises(StackError, match=r"processor lacks instructions.*DATABASE_URL"):
        server.start()
    assert processes_in(home / "pg18", "postgres") == []


def test_it_is_durable_checksummed_and_reached_by_loopback_and_password_only(home: Path) -> None:
    home.mkdir(mode=0o711)
    server = EmbeddedPostgres(home)
    server.start()
    try:
        with psycopg.connect(server.url()) as connection:
            shown = connection.execute(
                "SELECT current_setting('fsync'), current_setting('synchronous_commit'), "
                "current_setting('data_checksums'), current_setting('listen_addresses'), upper('é')"
            ).fetchone()
        assert shown == ("on", "on", "on", "127.0.0.1", "É")
        with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
            psycopg.connect(server.url().replace("postgres:", "postgres:wrong", 1))
    finally:
        server.stop()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root's server runs as another user")
def test_root_runs_it_as_the_owner_of_its_data_or_as_a_user_that_the_system_has(place: Path) -> None:
    data, users = place / "pg18", pwd.getpwall()
    chosen = server_user(data)
    assert chosen is not None
    assert pwd.getpwuid(chosen[0]).pw_name in ("postgres", "nobody")
    data.mkdir()
    os.chown(data, 12345, 54321)  # of a user who is no more
    assert server_user(data) == (12345, 54321)
    os.chown(data, 0, 0)
    with pytest.raises(StackError, match="belongs to root"):
        server_user(data)
    assert pwd.getpwall() == users


def test_a_data_directory_that_the_server_cannot_read_is_one_line(place: Path) -> None:
    closed = place / "closed"
    closed.mkdir(mode=0o700)
    home = closed / "home"
    if os.geteuid() != 0:
        (home / "pg18").mkdir(parents=True, mode=0o000)
        (home / "lock").touch()
    result = stack(home, "run", "--", "true")
    assert_one_line(result, "pg18", "cannot reach", "SUTURE_HOME")
