"""The commands that look for tamperings, each as an operator or an auditor runs it; they run in this process."""

import io
import json
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from click.testing import CliRunner
from django.core.management import CommandError, call_command
from django.utils import timezone

from governance.acting import gate
from governance.ledger import exports
from suture_verify.cli import main
from suture_verify.export import Header, write_export
from tests.world import World


class Command(StrEnum):
    """A command; `OFFLINE` verifies an export with the tree heads that somebody kept, and the others run on the
    server."""

    VERIFY_CHAIN = "manage.py verify_chain"
    VERIFY_EFFECTIVE = "manage.py verify_effective"
    CHECK_LEDGER = "manage.py check_ledger"
    OFFLINE = "suture-verify export"


class Answer(NamedTuple):
    """The exit code of a command, and what it names, one in each line."""

    code: int
    lines: list[str]


def answers(world: World, folder: Path, kept: Path, witness: str) -> dict[Command, Answer]:
    """What each command says of the tenant now."""
    return {
        # the last command appends an entry to the ledger
        Command.OFFLINE: _offline(world, folder, kept, witness),
        Command.VERIFY_EFFECTIVE: _on_server("verify_effective", "--tenant", world.slug),
        Command.CHECK_LEDGER: _on_server("check_ledger"),
        Command.VERIFY_CHAIN: _verify_chain(world, witness),
    }


def _offline(world: World, folder: Path, kept: Path, witness: str) -> Answer:
    file = folder / "ledger.jsonl"
    with gate.tenant(world.tenant_id):
        extent = exports.extent_of(world.tenant_id)
        header = Header(world.tenant_id, world.slug, timezone.now())
        lines = write_export(header, exports.entries(world.tenant_id, extent), exports.leaves(world.tenant_id, extent))
        file.write_text("".join(lines))
    arguments = ["export", str(file), "--trusted-tree-head", str(kept), "--witness", witness, "--json"]
    done = CliRunner().invoke(main, arguments)
    return Answer(done.exit_code, list(_findings(done.stdout)) if done.exit_code < 2 else [done.stderr])


def _verify_chain(world: World, witness: str) -> Answer:
    code, lines = _on_server("verify_chain", "--tenant", world.slug, "--witness", witness, "--json")
    return Answer(code, [finding for line in lines for finding in _findings(line)])


def _findings(text: str) -> Iterator[str]:
    """One line for each finding of a report: its kind, place, words and row."""
    if not text.startswith("{"):
        yield text
        return
    for finding in json.loads(text)["findings"]:
        at = "" if finding["seq"] is None else f" at {finding['seq']}"
        row = " ".join(finding[part] for part in ("table", "id", "field") if finding[part])
        yield f"{finding['kind']}: {finding['chain']}{at}: {finding['detail']} ({row})"


def _on_server(name: str, *arguments: str) -> Answer:
    output = io.StringIO()
    try:
        call_command(name, *arguments, stdout=output, no_color=True)
    except SystemExit as end:
        return Answer(int(str(end.code)), output.getvalue().splitlines())
    except CommandError as error:
        return Answer(error.returncode, [*output.getvalue().splitlines(), str(error)])
    return Answer(0, output.getvalue().splitlines())
