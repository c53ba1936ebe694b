"""`suture-verify export`: verify an exported ledger without the server."""

import json
import sys
import uuid
from pathlib import Path

import click

from suture_verify.commands.output import FOUND, UNREADABLE, WHOLE, opened, refuse, say, shown
from suture_verify.cosignatures import MalformedKey, Quorum
from suture_verify.export import MalformedExport
from suture_verify.findings import Kind, Report
from suture_verify.messages import lines_of, report_as_json
from suture_verify.notes import MalformedNote, SignedNote, parse_kept
from suture_verify.verifier import verify_export

_MAX_PRINTED = 20


@click.command()
@click.argument("file", metavar="EXPORT", type=click.Path(path_type=Path))
@click.option(
    "--trusted-tree-head",
    "tree_heads",
    type=click.Path(path_type=Path),
    multiple=True,
    help="A file of tree heads that you kept outside the database. May be repeated.",
)
@click.option(
    "--witness",
    "witnesses",
    multiple=True,
    help="The verifier key of a witness that must have cosigned the newest tree head. May be repeated.",
)
@click.option(
    "--witnesses-needed", type=int, help="The number of these witnesses that must have cosigned it. Default: all."
)
@click.option("--json", "as_json", is_flag=True, help="Print the report as one JSON object.")
def export(
    file: Path, tree_heads: tuple[Path, ...], witnesses: tuple[str, ...], witnesses_needed: int | None, as_json: bool
) -> None:
    """Verify a ledger: order, links, times, signatures, seals, and the tree heads that you kept.

    EXPORT is the exported ledger (JSON lines, gzipped or not).

    Without a tree head, the command cannot detect that the end was cut off, or that the whole ledger was rewritten and
    signed again. The exit code is 0 if the ledger is intact, 1 if there are findings, and 2 if a file cannot be read.
    """
    try:
        quorum = Quorum.of(witnesses, witnesses_needed)
    except MalformedKey as error:
        click.echo(f"{click.style('--witness:', fg='red', bold=True)} {shown(error)}", err=True)
        sys.exit(UNREADABLE)
    path = file
    try:
        notes: list[SignedNote] = []
        for path in tree_heads:
            found = parse_kept(path.read_text(encoding="utf-8"))
            if not found:
                refuse(path, "it has no tree head")
            notes += found
        path = file
        with opened(file, "Verifying") as lines:
            report, tenant = verify_export(lines, notes, quorum)
    except UnicodeDecodeError:
        refuse(path, "not UTF-8")
    except (MalformedExport, MalformedNote) as error:
        refuse(path, str(error))
    except OSError as error:
        refuse(path, error.strerror or str(error))
    if as_json:
        click.echo(json.dumps(report_as_json(report, tenant, report.findings, report.finding_count)))
    else:
        _print(report, tenant, has_tree_heads=bool(tree_heads))
    sys.exit(WHOLE if report.ok else FOUND)


def _print(report: Report, tenant: uuid.UUID, *, has_tree_heads: bool) -> None:
    unsealed = f", {report.unsealed:,} of them not sealed yet" if report.unsealed else ""
    counts = {
        "tenant": str(tenant),
        "entries": f"{report.entries:,} in {report.chains:,} chains",
        "leaves": f"{report.leaves:,} under {report.seals:,} seals{unsealed}",
        "erased contents": f"{report.erased:,}",
        "tree heads": f"{report.tree_heads:,} compared",
        "signatures": f"{report.signatures:,} ({report.signatures_per_second:,.0f} per second)",
    }
    for name, count in counts.items():
        click.echo(f"{name:<17}{count}")
    if report.ok:
        say("The ledger is intact.", "green")
    else:
        _print_findings(report)
    if not has_tree_heads:
        click.echo(
            "You gave no trusted tree head (--trusted-tree-head FILE), so the command cannot detect a missing end or a "
            "completely rewritten ledger."
        )


def _print_findings(report: Report) -> None:
    if all(finding.kind == Kind.OLDER for finding in report.findings):
        say("The export ends before the tree head.", "yellow", " Up to there, it is intact:")
    else:
        count = report.finding_count
        say(
            "The ledger is not intact:", "red", " 1 finding:" if count == 1 else f" {count:,} findings, the first ones:"
        )
    for head, below in lines_of(report.findings[:_MAX_PRINTED]):
        click.echo(f"  {click.style(shown(head), bold=True)}")
        for line in below:
            click.echo(f"    {shown(line)}")
    if report.finding_count > _MAX_PRINTED:
        click.echo(f"  and {report.finding_count - _MAX_PRINTED:,} more")
