"""`manage.py purge_erased`: after it, no file of the servers holds an erased word."""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import connections

from governance.erasure import keepers, purging
from governance.management.commands import purge_erased
from governance.models import Content
from tests.erasure.files import files_with
from tests.stack.running import HANGS, ROOT, STACK, environment

#: Records words of every kind, has them counted by the planner, logs an error of a statement that holds them, and
#: erases them; a neighbour's words stay.
RECORD_AND_ERASE = """
import os
from pathlib import Path
import django
django.setup()
from django.core.management import call_command
from tests.erasure.files import files_with
from django.db import connections
from django.utils import timezone
from governance import edits
from governance.acting import gate
from governance.erasure import erasures
from governance.identity import identities
from memory.drafts import EventDraft
from memory.services import recording
from memory.values import proposing

made = identities.provision("acme", agents=[("alice", [])], people=[(name, "admin") for name in ("carol", "dave")])
tenant = gate.tenants()["acme"]
with gate.tenant(tenant):
    alice, carol, dave = (
        gate.authenticate(key)
        for key in (made.agents["alice"]["key"], made.users["carol"]["key"], made.users["dave"]["key"])
    )
def draft(subject, kind="message", **content):
    about = {"subject_type": "user", "subject_id": subject}
    return EventDraft("s", "private", "agent", "alice", kind, timezone.now(), content, **about)
with gate.tenant(tenant):
    recorded = recording.record_events(
        [
            draft("jack", text="He likes zanzibar"),
            draft("jack", text="zanzibar " * 3000),
            draft("jack", "decision", decision="Go to zanzibar", rationale=["zanzibar is warm"]),
            *(draft("jack", text=f"zanzibar {n}") for n in range(200)),
            *(draft("jill", text=f"She likes paraguay {n}") for n in range(200)),
            *(draft("jill", text=f"The quagga {n} eats grass") for n in range(200)),
            draft("jill", "decision", decision="Feed the quagga", rationale=["A Quagga eats grass"]),
        ],
        actor=alice,
    )
chunk = recorded[0].chunk_ids[0]
with gate.tenant(tenant):
    edits.propose_edit(actor=carol, target_type="chunk", target_id=chunk, op="amend", reason="a test",
                       patch=edits.Patch(text="He loves zanzibar"))
    edits.propose_edit(actor=carol, target_type="chunk", target_id=recorded[1].chunk_ids[0], op="retract",
                       reason="a test", patch=edits.Patch())
with connections["owner"].cursor() as cursor:
    cursor.execute("ANALYZE")
try:
    with gate.tenant(tenant):
        gate.rows("SELECT 'zanzibar', 1 / 0", ())
except Exception as error:
    assert "division by zero" in str(error)
with gate.tenant(tenant):
    named = erasures.Selection("subject", subject_type="user", subject_id="jack")
    erasure = erasures.propose_erasure(named, actor=carol, reason="a request")
with gate.tenant(tenant):
    erasures.approve_erasure(erasure.id, actor=dave)
with gate.tenant(tenant):
    edits.propose_edit(actor=carol, target_type="chunk", target_id=recorded[-1].chunk_ids[0], op="amend",
                       reason="a test", patch=edits.Patch(text="The quagga rests"))
    said = proposing.preview_value(actor=carol, op="forget", value="quagga", reason="a request")
    forgotten = proposing.commit_value(said.token, actor=carol, confirm=True, erase=True)
with gate.tenant(tenant):
    erasures.approve_erasure(forgotten.erasure_id, actor=dave)
home = Path(os.environ["SUTURE_HOME"])
print("BEFORE", *files_with(home, b"zanzibar"), sep="\\n")  # in the log
with connections["owner"].cursor() as cursor:
    cursor.execute("CHECKPOINT")
print(*files_with(home, b"zanzibar"), sep="\\n")  # in the tables
call_command("purge_erased")
print("AFTER", *files_with(home, b"zanzibar"), *files_with(home, b"quagga"), sep="\\n")
"""


@pytest.fixture
def home() -> Iterator[Path]:
    # pytest's own directories are closed to the servers' unprivileged user
    place = Path(tempfile.mkdtemp(prefix="suture test "))
    place.chmod(0o755)
    yield place / "home"
    shutil.rmtree(place)


def run(home: Path, *command: str) -> str:
    """A command within the stack of `home`, which is stopped again; its output."""
    done = subprocess.run(
        [*STACK, "run", "--", *command],
        cwd=ROOT,
        env=environment(home, DJANGO_SETTINGS_MODULE="memory_project.settings"),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=HANGS,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.mark.stack
def test_after_it_no_file_holds_an_erased_word(home: Path) -> None:
    manage = (sys.executable, "manage.py")
    run(home, *manage, "migrate", "-v0")
    told = run(home, sys.executable, "-c", RECORD_AND_ERASE)
    before, _, purged = told.partition("BEFORE\n")[2].partition("contain no erased text")
    # what it is for: words lie in tables and in the log before it, and nobody wrote them to a log file
    assert "/base/" in before
    assert "/pg_wal/" in before
    assert "\nlog/" not in before
    assert "LEFT" not in before
    assert purged.partition("AFTER\n")[2].strip() == ""

    assert files_with(home, b"zanzibar") == []
    assert files_with(home, b"quagga") + files_with(home, b"Quagga") == []
    assert files_with(home, b"paraguay") != []
    assert "no drift" in run(home, *manage, "verify_effective")


committed = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])


@committed
def test_it_says_what_an_open_transaction_keeps(world):
    world.event("Jon likes tea")
    # what died before, for the transactions of other tests
    assert purging.wait_for_older_transactions(HANGS)
    assert purging._rewrite("memory_effectivechunk") == (True, "memory_effectivechunk was rewritten.")
    with world.inside():
        # a snapshot that is older than the purge
        with connections["default"].cursor() as cursor:
            cursor.execute("DECLARE held CURSOR FOR SELECT 1 FROM governance_tenant")
        # a row that dies after that snapshot was taken
        with connections["owner"].cursor() as cursor:
            cursor.execute("UPDATE memory_effectivechunk SET tier = 'archive' WHERE tenant_id = %s", [world.tenant_id])
        assert not purging.wait_for_older_transactions(0)
        done, line = purging._rewrite("memory_effectivechunk")
    assert not done
    assert "1 dead rows that an open transaction can still see" in line
    assert purging.wait_for_older_transactions(HANGS)
    assert purging._rewrite("memory_effectivechunk") == (True, "memory_effectivechunk was rewritten.")


@committed
def test_it_ends_with_one_where_something_is_left(world, monkeypatch, capsys):
    steps = [(True, "a was rewritten."), (False, "b was not.")]
    monkeypatch.setattr(purging, "purge", lambda: iter(steps))
    with pytest.raises(SystemExit) as ended:
        purge_erased.Command().handle()
    assert ended.value.code == 1
    assert capsys.readouterr().out.splitlines() == ["a was rewritten.", "FAILED: b was not.", "Steps that failed: 1."]


@committed
def test_a_table_that_it_may_not_rewrite_is_said(world):
    done, line = purging._rewrite("pg_authid")
    assert not done
    assert line.startswith("pg_authid was not rewritten: ")


@pytest.mark.pure
def test_every_table_that_keeps_words_is_named():
    assert {Content._meta.db_table, "memory_effectivechunk", "memory_removedvalue"} <= set(keepers.tables())


@committed
def test_no_statistics_quote_the_words(world, owner):
    world.event("Jon likes tea")
    owner_cursor = connections["owner"].cursor()
    owner_cursor.execute("ANALYZE governance_content")
    assert owner("SELECT 1 FROM pg_stats WHERE tablename = 'governance_content' AND attname = 'body'") == []
