"""`manage.py verify_effective`: the effective memory is what the record makes of it, or somebody is told."""

import io
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from memory.management.commands import verify_effective
from tests.ledger.tampering import tamper

# Committed, since the owner looks from a connection of its own.
pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])


def run(*arguments: str) -> tuple[int, list[str]]:
    """The exit code and the lines of the command."""
    output = io.StringIO()
    try:
        call_command("verify_effective", *arguments, stdout=output)
    except SystemExit as exit_:
        return int(str(exit_.code)), output.getvalue().splitlines()
    return 0, output.getvalue().splitlines()


@pytest.fixture
def as_owner(owner, world):
    """Change the projection by hand, which no role of the server may do."""

    def change(statement: str, *parameters: Any, of: Any = world) -> None:
        with of.inside("owner"):
            assert owner(f"{statement} RETURNING id", parameters)

    return change


def test_a_corrected_memory_has_no_drift(world):
    world.edit(world.chunk("Jon Doe"), "amend", text="John Doe")
    world.edit(world.chunk("secret"), "retract")
    world.event(kind="decision", content={"decision": "Use PostgreSQL"})

    assert run("--tenant", world.slug) == (0, ["1 tenant verified: no drift"])


def test_drift_is_reported_and_repaired(world, as_owner):
    amended, retracted, kept = world.chunk("Jon Doe"), world.chunk("My SSN"), world.chunk("Nothing wrong here")
    world.edit(amended, "amend", text="John Doe")
    world.edit(retracted, "retract")
    as_owner("UPDATE memory_effectivechunk SET is_retracted = false WHERE id = %s", retracted)
    as_owner("UPDATE memory_effectivechunk SET importance = 0.1 WHERE id = %s", amended)
    as_owner("DELETE FROM memory_effectivechunk WHERE id = %s", kept)

    code, lines = run("--tenant", world.slug)
    assert code == 1
    assert sorted(lines[:-1]) == sorted(
        [
            f"{world.slug}: chunk {retracted}: visibility",
            f"{world.slug}: chunk {amended}: importance",
            f"{world.slug}: chunk {kept}: missing",
        ]
    )
    assert lines[-1] == "1 tenant verified: 3 drifted in 1 of them"

    code, lines = run("--tenant", world.slug, "--repair")
    assert code == 0
    assert lines[-2:] == [f"{world.slug}: 3 repaired", "1 tenant verified: no drift"]
    assert world.found("SSN") == []
    assert world.found("Doe") == ["John Doe"]
    assert world.found("nothing wrong") == ["Nothing wrong here"]


def test_words_that_search_finds_are_verified_too(world, as_owner):
    chunk = world.chunk("Jon Doe")
    world.edit(chunk, "amend", text="John Doe")
    as_owner("UPDATE memory_effectivechunk SET tsv = to_tsvector('english', 'Jon Doe') WHERE id = %s", chunk)
    assert world.found("Jon")

    code, lines = run("--tenant", world.slug)

    assert code == 1
    assert lines[0] == f"{world.slug}: chunk {chunk}: search vector"
    assert run("--tenant", world.slug, "--repair")[0] == 0
    assert not world.found("Jon")


def test_all_tenants_are_verified_by_default(world, elsewhere, as_owner):
    world.chunk("fine")
    chunk = elsewhere.chunk("not fine")
    as_owner("UPDATE memory_effectivechunk SET edits_applied = 5 WHERE id = %s", chunk)

    code, lines = run()

    assert code == 1
    assert f"{elsewhere.slug}: chunk {chunk}: edits_applied" in lines
    assert not any(line.startswith(world.slug) for line in lines)
    assert f"{elsewhere.slug}: 1 repaired" in run("--repair")[1]
    assert run("--tenant", elsewhere.slug)[0] == 0


@pytest.mark.parametrize("op", [None, "amend"])
def test_what_readers_see_of_lost_words_is_repaired_too(world, op):
    """Words that somebody took from the database are for `verify_chain` to report; until then no reader finds them."""
    chunk = world.chunk("a quiet evening")
    if op:
        world.edit(chunk, op, text="a quiet morning")
    tamper("governance_content", "DELETE FROM governance_content WHERE tenant_id = %s", world.tenant_id)

    assert run("--tenant", world.slug)[0] == 1
    assert run("--tenant", world.slug, "--repair")[0] == 0
    assert world.found("quiet") == []


def test_a_long_list_is_cut(world, as_owner, monkeypatch):
    monkeypatch.setattr(verify_effective, "LISTED", 2)
    for number in range(5):
        world.chunk(f"Note {number}")
    as_owner("UPDATE memory_effectivechunk SET edits_applied = 5 WHERE tenant_id = %s", world.tenant_id)

    code, lines = run("--tenant", world.slug)

    assert code == 1
    assert lines[2:] == [f"{world.slug}: and 3 more", "1 tenant verified: 5 drifted in 1 of them"]
    assert run("--tenant", world.slug, "--repair")[0] == 0


def test_an_unknown_tenant_is_one_clear_line():
    with pytest.raises(CommandError, match="There is no tenant 'nowhere'"):
        run("--tenant", "nowhere")
