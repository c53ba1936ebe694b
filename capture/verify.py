"""`suture verify`: verify an exported ledger without the server."""

import json
import uuid
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import Progress
from rich.table import Table

from governance.proof.cosignatures import MalformedKey, Quorum
from governance.proof.export import MalformedExport
from governance.proof.findings import Kind, Report
from governance.proof.notes import MalformedNote, SignedNote, parse_kept
from governance.proof.verifier import verify_export
from governance.proof.wording import lines_of, report_as_json

#: Exit codes.
WHOLE, FOUND, UNREADABLE = 0, 1, 2

_NAMED = 20


def verify(
    export: Annotated[Path, typer.Argument(help="The exported ledger (JSON lines, gzipped or not).")],
    trusted_tree_head: Annotated[
        list[Path] | None,
        typer.Option(help="A file of tree heads that you kept outside the database; you can give several."),
    ] = None,
    witness: Annotated[
        list[str] | None,
        typer.Option(help="The verifier key of a witness that must have cosigned the newest tree head; several."),
    ] = None,
    witnesses_needed: Annotated[
        int | None, typer.Option(help="How many of these witnesses must have; the default is all.")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the report as one JSON object, with all findings that it lists.")
    ] = False,
) -> None:
    """Verify a ledger: order, links, times, signatures, seals, and the tree heads that you kept.

    Without a tree head, the command cannot detect that the end was cut off, or that the whole ledger was rewritten and
    signed again. Exits with 0 if the ledger is whole, 1 if there are findings, 2 if a file cannot be read.
    """
    output, errors = Console(highlight=False), Console(stderr=True, highlight=False)
    path = export
    try:
        quorum = Quorum.of(witness or [], witnesses_needed)
    except MalformedKey as error:
        errors.print(f"[bold red]--witness:[/] {escape(str(error))}", soft_wrap=True)
        raise typer.Exit(UNREADABLE) from None
    try:
        notes: list[SignedNote] = []
        for path in trusted_tree_head or []:
            found = parse_kept(path.read_text(encoding="utf-8"))
            if not found:
                _refuse(errors, path, "it has no tree head")
            notes += found
        path = export
        with Progress(console=errors, transient=True, disable=not errors.is_terminal) as progress:
            task = progress.add_task("Verifying", total=None)
            with progress.open(path, "rb", task_id=task) as file:
                report, tenant = verify_export(file, notes, quorum)
    except UnicodeDecodeError:
        _refuse(errors, path, "not UTF-8")
    except (MalformedExport, MalformedNote) as error:
        _refuse(errors, path, str(error))
    except OSError as error:
        _refuse(errors, path, error.strerror or str(error))
    else:
        if as_json:
            typer.echo(json.dumps(report_as_json(report, tenant, report.findings, report.finding_count)))
        else:
            _print(output, report, tenant, has_tree_heads=bool(trusted_tree_head))
        raise typer.Exit(WHOLE if report.ok else FOUND)


def _refuse(errors: Console, path: Path, reason: str) -> None:
    errors.print(f"[bold red]Cannot read[/] {escape(str(path))}: {escape(reason)}", soft_wrap=True)
    raise typer.Exit(UNREADABLE)


def _print(output: Console, report: Report, tenant: uuid.UUID, *, has_tree_heads: bool) -> None:
    counts = Table(box=None, show_header=False, pad_edge=False)
    counts.add_row("tenant", str(tenant))
    counts.add_row("entries", f"{report.entries:,} in {report.chains:,} chains")
    unsealed = f", {report.unsealed:,} of them not sealed yet" if report.unsealed else ""
    counts.add_row("leaves", f"{report.leaves:,} under {report.seals:,} seals{unsealed}")
    counts.add_row("erased contents", f"{report.erased:,}")
    counts.add_row("tree heads", f"{report.tree_heads:,} compared")
    counts.add_row("signatures", f"{report.signatures:,} ({report.signatures_per_second:,.0f} per second)")
    output.print(counts)
    if report.ok:
        output.print("[bold green]The ledger is whole.[/]")
    else:
        if all(finding.kind == Kind.OLDER for finding in report.findings):
            output.print("[bold yellow]The export ends before the tree head.[/] As far as it goes, it is whole:")
        else:
            output.print(f"[bold red]The ledger is not whole:[/] {_counted(report.finding_count)}:")
        for head, below in lines_of(report.findings[:_NAMED]):
            output.print(f"  [bold]{escape(head)}[/]", soft_wrap=True)
            for line in below:
                output.print(f"    {escape(line)}", soft_wrap=True)
        if report.finding_count > _NAMED:
            output.print(f"  and {report.finding_count - _NAMED:,} more")
    if not has_tree_heads:
        output.print(
            "You gave no trusted tree head (--trusted-tree-head FILE), so the command cannot detect a cut end or a "
            "ledger that was rewritten as a whole.",
            soft_wrap=True,
        )


def _counted(findings: int) -> str:
    return "1 finding" if findings == 1 else f"{findings:,} findings, the first ones"
