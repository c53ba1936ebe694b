import sys
import uuid
from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from rich.console import Console
from rich.progress import Progress, TaskID

from governance import gate
from governance.identity import identities
from governance.ledger import exports, fingerprints, verification
from governance.proof.cosignatures import MalformedKey, Quorum
from governance.proof.findings import Finding, Report
from governance.proof.notes import MalformedNote, SignedNote, parse_notes
from governance.refusals import Refusal


class Command(BaseCommand):
    help = "Verify the ledger: entries, signatures, seals, sealed rows and words. Exits with 1 if it finds a fault."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--tenant", metavar="SLUG", help="verify this tenant only; the default is all")
        parser.add_argument("--agent", metavar="NAME", help="report findings in this agent's chain only")
        parser.add_argument(
            "--trusted-tree-head",
            metavar="FILE",
            type=Path,
            action="append",
            default=[],
            help="a file of signed notes that you keep elsewhere; you can repeat this option",
        )
        parser.add_argument(
            "--witness",
            metavar="KEY",
            action="append",
            default=[],
            help="the verifier key of a witness that must have cosigned the newest tree head; can be repeated",
        )
        parser.add_argument(
            "--witnesses-needed",
            metavar="N",
            type=int,
            help="how many of these witnesses must have; the default is all",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            quorum = Quorum.of(options["witness"], options["witnesses_needed"])
        except MalformedKey as error:
            raise CommandError(f"--witness: {error}") from None
        trusted = [note for file in options["trusted_tree_head"] for note in _notes(file)]
        try:
            tenants = (
                {options["tenant"]: identities.tenant_id_of(options["tenant"])} if options["tenant"] else gate.tenants()
            )
        except Refusal as refusal:
            raise CommandError(refusal.for_operator) from None
        chain = f"agent:{options['agent']}" if options["agent"] else None
        if chain and not any(_has_chain(tenant_id, chain) for tenant_id in tenants.values()):
            raise CommandError(f"There is no chain {chain}.")
        with fingerprints.reading_once():
            wrong = self._verify_all(tenants, trusted, quorum, chain, is_one=bool(options["tenant"]))
        if wrong:
            sys.exit(1)

    def _verify_all(
        self,
        tenants: Mapping[str, uuid.UUID],
        trusted: Sequence[SignedNote],
        quorum: Quorum | None,
        chain: str | None,
        *,
        is_one: bool,
    ) -> bool:
        """Verify tenants and print what is found; returns whether anything is."""
        wrong = False
        for slug, tenant_id in tenants.items():
            own = [note for note in trusted if note.tree_head.origin == f"suture/{tenant_id}"]
            if is_one and len(own) < len(trusted):
                raise CommandError(f"A trusted tree head does not belong to the tenant {slug}.")
            try:
                with Progress(console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as bars:
                    report = verification.verify(tenant_id, trusted=own, quorum=quorum, progress=_Bars(bars, slug))
            except Refusal as refusal:
                raise CommandError(refusal.for_operator) from None
            found = [finding for finding in report.findings if chain in (None, finding.chain)]
            self.stdout.write(_summary(slug, report))
            self._tell(found, report.finding_count if chain is None else len(found))
            wrong = wrong or bool(found)
        return wrong

    def _tell(self, found: list[Finding], count: int) -> None:
        if not found:
            return
        first = found[0]
        self.stdout.write(self.style.ERROR(f"  {_finding_line(first)}"))
        self.stdout.write(f"  {first.kind.meaning}")
        for finding in found[1:10]:
            self.stdout.write(f"  also {_finding_line(finding)}")
        if count > 10:
            self.stdout.write(f"  and {count - 10} more")


def _finding_line(finding: Finding) -> str:
    place = "" if finding.seq is None else f" at {finding.seq}"
    return f"{finding.kind}: {finding.chain}{place}: {finding.detail}"


class _Bars:
    """One bar for each part of a verification."""

    def __init__(self, bars: Progress, slug: str) -> None:
        self.bars, self.slug = bars, slug
        self.tasks: dict[str, TaskID] = {}

    def __call__(self, part: str, done: int, total: int) -> None:
        if part not in self.tasks:
            self.tasks[part] = self.bars.add_task(f"{self.slug}: {part}")
        self.bars.update(self.tasks[part], completed=done, total=total)


def _has_chain(tenant_id: uuid.UUID, name: str) -> bool:
    with gate.tenant(tenant_id):
        return any(chain == name for chain, _, _ in exports.extent_of(tenant_id).chains)


def _notes(file: Path) -> list[SignedNote]:
    try:
        notes = parse_notes(file.read_text())
    except OSError as error:
        raise CommandError(f"{file}: {error.strerror}") from None
    except (MalformedNote, UnicodeDecodeError) as error:
        raise CommandError(f"{file} is not a file of tree heads: {error}") from None
    if not notes:
        raise CommandError(f"{file} contains no tree head.")
    return notes


def _summary(slug: str, report: Report) -> str:
    outcome = "intact" if report.ok else _counted(report.finding_count, "finding")
    return (
        f"{slug}: {_counted(report.entries, 'entry', 'entries')} in {_counted(report.chains, 'chain')}, "
        f"{_counted(report.seals, 'seal')} over {_counted(report.leaves, 'row')}, {report.erased:,} erased, "
        f"{_counted(report.tree_heads, 'tree head')} compared: {outcome} ({report.seconds:.1f} s)"
    )


def _counted(count: int, one: str, many: str = "") -> str:
    return f"{count:,} {one if count == 1 else many or one + 's'}"
