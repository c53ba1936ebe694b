"""What `verify_chain` prints, for people and for programs, and with which code it and its like exit."""

import io
import json

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError

from tests.ledger.tampering import append, change_entry, entries, leaves, tamper, verify_chain

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])


def test_a_program_reads_the_report_of_each_tenant(world, elsewhere, monkeypatch):
    append(elsewhere, 2)
    append(world, 3)
    seq = entries(world)[-1].seq
    change_entry(world, seq, "type = 'x'")
    monkeypatch.setattr(
        "governance.acting.gate.tenants", lambda: {world.slug: world.tenant_id, elsewhere.slug: elsewhere.tenant_id}
    )

    output = io.StringIO()
    with pytest.raises(SystemExit) as end:
        call_command("verify_chain", "--json", stdout=output, no_color=True)

    assert end.value.code == 1
    changed, intact = [json.loads(line) for line in output.getvalue().splitlines()]
    assert (changed["slug"], changed["tenant"], changed["ok"]) == (world.slug, str(world.tenant_id), False)
    (finding,) = changed["findings"]
    assert (finding["kind"], finding["chain"], finding["seq"]) == ("content mismatch", "governance", seq)
    assert finding["meaning"]
    assert finding["advice"]
    assert (intact["slug"], intact["ok"], intact["findings"], intact["finding_count"]) == (elsewhere.slug, True, [], 0)


def test_a_changed_row_is_named_with_its_seal_and_what_to_do(world, kept):
    leaf = next(leaf for leaf in leaves(world) if leaf.kind == "event")
    tamper("memory_event", "UPDATE memory_event SET actor_id = 'eve' WHERE tenant_id = %s AND id = %s",
           world.tenant_id, leaf.row_id)  # fmt: skip
    seal_entry = next(
        entry for entry in entries(world) if entry.type == "seal" and entry.metadata["size"] > leaf.position
    )

    code, told = verify_chain(world)

    assert code == 1
    lines = [line.strip() for line in told.splitlines()]
    assert f"content mismatch: leaves at {leaf.position}: the event {leaf.row_id} is not what was sealed" in lines
    assert f"since     the seal in governance entry {seal_entry.seq}" in lines
    assert f"expected  leaf hash {bytes(leaf.hash).hex()}" in lines
    assert any(line.startswith("do        ") for line in lines)


def test_what_cannot_be_verified_is_told_from_what_is_wrong(world, kept, tmp_path):
    """Exit code 2, as that of `suture verify`."""
    for arguments in (
        ["verify_chain", "--tenant", "nowhere"],
        ["verify_chain", "--tenant", world.slug, "--agent", "nobody"],
        ["verify_chain", "--tenant", world.slug, "--trusted-tree-head", str(tmp_path / "none")],
        ["verify_effective", "--tenant", "nowhere"],
    ):
        with pytest.raises(CommandError) as refusal:
            call_command(*arguments)
        assert refusal.value.returncode == 2


@pytest.mark.parametrize("command", ["verify_chain", "verify_effective", "check_ledger"])
def test_a_database_that_does_not_answer_is_no_finding(command, monkeypatch):
    def refuse(*_, **__):
        raise OperationalError("connection refused")

    monkeypatch.setattr("governance.acting.gate.tenants", refuse)

    with pytest.raises(CommandError, match="Cannot query the database: connection refused") as refusal:
        call_command(command)

    assert refusal.value.returncode == 2
