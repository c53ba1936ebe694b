"""A database that was restored from a dump verifies as the one that was dumped, and what was lost or changed on the way
is found."""

import io
import json
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner, Result
from django.core.management import call_command

from governance.acting import gate
from governance.ledger import published_tree_heads
from memory_project.stack import dumps, roles, servers
from memory_project.stack.home import Home, private_file
from memory_project.stack.postgres import EPHEMERAL_SETTINGS, EmbeddedPostgres, installed_programs
from memory_project.stack.processes import StackError
from memory_project.stack.supervisor import Supervisor
from suture_verify.cli import main
from tests.ledger.restoring import Dumped, live_and_dump, passwords, put_back, using
from tests.ledger.tampering import assert_found, assert_intact, exported, seal, verify_chain
from tests.stack import running

pytestmark = [pytest.mark.slow, pytest.mark.stack]


@pytest.fixture(scope="module")
def place() -> Iterator[Path]:
    """A directory that the user of PostgreSQL reaches."""
    path = Path(tempfile.mkdtemp(prefix="suture-test-"))
    path.chmod(0o711)
    yield path
    shutil.rmtree(path)


@pytest.fixture(scope="module")
def dumped(place: Path, django_db_setup: None, django_db_blocker: pytest.FixtureRequest) -> Iterator[Dumped]:
    one = live_and_dump(place, django_db_blocker)
    with django_db_blocker.unblock():  # type: ignore[attr-defined] # no public type
        yield one


@pytest.fixture(scope="module")
def restored(dumped: Dumped, place: Path) -> Iterator[dict[str, str]]:
    """The connection strings of a new home, into which the second dump was restored as an operator does it."""
    done = running.stack(place / "home", "restore", str(dumped.second))
    assert done.returncode == 0, done.stderr
    home, supervisor = Home(place / "home"), Supervisor()
    home.prepare()
    try:
        yield servers.start_embedded(supervisor, home, ephemeral=True)
    finally:
        supervisor.stop()
        home.release()


@pytest.fixture(scope="module")
def server(place: Path) -> Iterator[EmbeddedPostgres]:
    """A server of somebody who is its superuser."""
    (place / "server").mkdir(mode=0o711)
    one = EmbeddedPostgres(place / "server", settings=EPHEMERAL_SETTINGS)
    one.start()
    yield one
    one.stop()


@pytest.fixture
def alone(dumped: Dumped, home: Path, monkeypatch: pytest.MonkeyPatch) -> Dumped:
    """The secrets and tree heads are put back. The tenant is the only one: others in the database have keys of other
    homes."""
    put_back(dumped, home)
    monkeypatch.setattr(gate, "tenants", lambda using="default": {dumped.world.slug: dumped.world.tenant_id})
    return dumped


def prepared(server: EmbeddedPostgres, database: str) -> dict[str, str]:
    """Make roles and an empty database; answers the connection strings."""
    return roles.create_roles(server.url(), passwords(), database, own_server=True)


def answer(command: str, *arguments: str) -> tuple[int, str]:
    """The exit code of a command of manage.py, and what it printed."""
    output, code = io.StringIO(), 0
    try:
        call_command(command, *arguments, stdout=output)
    except SystemExit as end:
        code = int(end.code or 0)
    return code, output.getvalue()


@pytest.fixture
def suture(alone: Dumped, tmp_path: Path) -> Callable[..., Result]:
    """`suture-verify export` and `receipt` of the export of the database that is in use, with the kept tree heads."""

    def run(command: str, *before: str) -> Result:
        export = tmp_path / "ledger.jsonl"
        export.write_bytes(exported(alone.world))
        return CliRunner().invoke(main, [command, *before, str(export), "--trusted-tree-head", str(alone.kept)])

    return run


def receipt_file(dumped: Dumped, number: int, directory: Path) -> str:
    path = directory / "recorded.json"
    path.write_text(json.dumps(dumped.receipts[number]))
    return str(path)


def test_a_restored_database_verifies(restored: dict[str, str], alone: Dumped, suture: Callable[..., Result]) -> None:
    with using(restored):
        assert_intact(alone.world, "--trusted-tree-head", str(alone.kept))
        code, told = answer("verify_effective", "--tenant", alone.world.slug)
        assert (code, told) == (0, "1 tenant verified: no drift\n")
        assert answer("check_ledger") == (0, "")
        result = suture("export")
        assert result.exit_code == 0, result.output


def test_receipts_from_before_the_dump_verify(
    restored: dict[str, str], alone: Dumped, suture: Callable[..., Result], tmp_path: Path
) -> None:
    with using(restored):
        for number in range(2):
            result = suture("receipt", receipt_file(alone, number, tmp_path))
            assert result.exit_code == 0, result.output


def test_the_ledger_goes_on_where_the_dump_ends(restored: dict[str, str], alone: Dumped) -> None:
    with using(restored):
        alone.world.event("We meet at eight")
        assert seal(alone.world) is not None
        assert_intact(alone.world, "--trusted-tree-head", str(alone.kept))


@pytest.fixture(scope="module")
def older(server: EmbeddedPostgres, dumped: Dumped) -> dict[str, str]:
    """The connection strings of a database into which the first dump was restored."""
    variables = prepared(server, "suture_older")
    dumps.fill(server.url("suture_older"), dumped.first)
    return variables


def test_a_dump_that_is_older_than_the_last_tree_head_is_named_with_what_is_missing(
    older: dict[str, str], alone: Dumped, suture: Callable[..., Result], tmp_path: Path
) -> None:
    with using(older):
        code, told = verify_chain(alone.world)
        assert code == 1
        named, end, missing = numbers(r"names entry (\d+), and the chain ends before (\d+): (\d+) entries are", told)
        covered, rows, lost = numbers(r"covers (\d+) leaves, and there are (\d+): (\d+) sealed rows are missing", told)
        assert missing == named - end + 1 > 0
        assert lost == covered - rows > 0
        # the last entry of that dump
        assert set(re.findall(r"since +the seal in governance entry (\d+)", told)) == {str(end - 1)}
        assert "Restore the newest backup that verifies against the tree head" in told
        code, told = answer("check_ledger")
        assert code == 1
        assert f"The database has no entry {named} of the governance chain" in told
        assert "It was restored from an older backup" in told
        assert alone.world.alice.post("events", alone.world.draft("We meet at eight")).status_code == 503
        result = suture("export")
        assert result.exit_code == 1
        assert "older than the tree head" in result.output
        assert suture("receipt", receipt_file(alone, 0, tmp_path)).exit_code == 1
        assert suture("receipt", receipt_file(alone, 1, tmp_path)).exit_code == 1


def numbers(pattern: str, told: str) -> tuple[int, ...]:
    found = re.search(pattern, told)
    assert found is not None, told
    return tuple(map(int, found.groups()))


def test_with_the_tree_heads_of_its_time_an_older_dump_goes_on_and_the_newer_ones_prove_the_loss(
    older: dict[str, str], alone: Dumped
) -> None:
    shutil.copy(alone.kept_with_first, published_tree_heads.path_of(alone.world.tenant_id))
    with using(older):
        assert_intact(alone.world)
        for number in range(9):
            alone.world.event(f"We meet at {number}")
            alone.world.edit(alone.world.chunk(f"Jack likes tee {number}"), "amend", text="Jack likes tea")
        assert seal(alone.world) is not None
        assert_intact(alone.world)
        assert_found(alone.world, "split view: governance at", "--trusted-tree-head", str(alone.kept))


def test_words_that_were_changed_in_the_dump_are_found(server: EmbeddedPostgres, alone: Dumped, tmp_path: Path) -> None:
    with using(edited(server, alone, tmp_path, "We meet at noon", "We meet at nine")):
        code, told = verify_chain(alone.world)
    assert code == 1
    assert re.search(r"content mismatch: content: the words of (\S+) do not match.*\n +row +content \1\n", told), told


def test_a_row_that_was_changed_in_the_dump_is_found(server: EmbeddedPostgres, alone: Dumped, tmp_path: Path) -> None:
    with using(edited(server, alone, tmp_path, "The word is tea", "The word is tee")):
        code, told = verify_chain(alone.world)
    assert code == 1
    assert f"the edit {alone.edit} is not what was sealed" in told
    assert re.search(rf"row +edit {alone.edit}\n", told), told


def edited(server: EmbeddedPostgres, dumped: Dumped, directory: Path, words: str, others: str) -> dict[str, str]:
    """Restore the second dump with other words in the place of some, as text; answers the connection strings."""
    name = f"suture_{directory.name}"
    variables = prepared(server, name)
    plain = directory / "edited.sql"
    program("pg_restore", f"--file={plain}", dumped.second)
    text = plain.read_text()
    assert words in text
    plain.write_text(text.replace(words, others))
    arguments = ["--quiet", "--set=ON_ERROR_STOP=1", "--single-transaction", f"--file={plain}", server.url(name)]
    program("psql", *arguments)
    return variables


def program(name: str, *arguments: str | Path) -> None:
    """Run one of PostgreSQL's programs."""
    subprocess.run([installed_programs() / name, *arguments], check=True, stdout=subprocess.DEVNULL)


# -- The programs of PostgreSQL alone, on a server that has the roles.


def test_with_create_the_rights_on_the_database_are_restored_too(server: EmbeddedPostgres, alone: Dumped) -> None:
    prepared(server, "suture")
    program("pg_restore", "--create", "--exit-on-error", f"--dbname={server.url()}", alone.second)
    with using(roles.urls(server.url(), passwords(), alone.database)):
        assert answer("check_ledger") == (0, "")
        assert_intact(alone.world)


def test_without_create_the_rights_on_the_database_are_what_is_found(server: EmbeddedPostgres, alone: Dumped) -> None:
    prepared(server, "suture")
    name = "suture_bare"
    with psycopg.connect(server.url(), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} OWNER suture_owner")
        program("pg_restore", "--exit-on-error", f"--dbname={server.url(name)}", alone.second)
        with using(roles.urls(server.url(), passwords(), name)):
            code, told = answer("check_ledger")
            assert code == 1
            (line,) = told.splitlines()
            assert line.startswith("schema: the database was changed after the last migration: ")
            assert "grants also has CONNECT to PUBLIC" in line
            assert "grants lacks CONNECT to suture_app" in line
            # what docs/operations.md says to do
            connection.execute(f"REVOKE ALL ON DATABASE {name} FROM PUBLIC")
            connection.execute(
                f"GRANT CONNECT ON DATABASE {name}"
                " TO suture_app, suture_review, suture_session, suture_operator, suture_verifier"
            )
            assert answer("check_ledger") == (0, "")


# -- The command, for a server that the environment names.


def test_a_server_that_the_environment_names_is_filled_once(
    server: EmbeddedPostgres, alone: Dumped, place: Path
) -> None:
    named = {servers.SUPERUSER_VARIABLE: server.url()}
    home = Home(place / "node")
    home.prepare()
    private_file(home.path / "secrets" / Home.PASSWORDS, json.dumps(passwords()))
    dumps.restore(alone.second, home, named)
    with using(roles.urls(server.url(), passwords())):
        assert answer("check_ledger") == (0, "")
        assert_intact(alone.world)
    with pytest.raises(StackError, match="The database already has tables; nothing was changed"):
        dumps.restore(alone.first, home, named)
    home.release()


def test_what_is_no_dump_leaves_an_empty_database(server: EmbeddedPostgres, tmp_path: Path) -> None:
    prepared(server, "suture_empty")
    (tmp_path / "no.dump").write_text("no dump")
    with pytest.raises(StackError, match=r"pg_restore failed: .*not appear to be a valid archive"):
        dumps.fill(server.url("suture_empty"), tmp_path / "no.dump")
    with psycopg.connect(server.url("suture_empty")) as connection:
        assert connection.execute("SELECT FROM pg_tables WHERE schemaname = 'public'").fetchall() == []
