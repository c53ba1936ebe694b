import json
import sys
import uuid
from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError
from rich.console import Console
from rich.progress import Progress, TaskID

from governance.acting import gate
from governance.identity import identities
from governance.ledger import exports, fingerprints, verification, verified_until
from governance.management.exit_codes import FOUND, CheckCommand
from governance.refusals import Refusal
from suture_verify.cosignatures import MalformedKey, Quorum
from suture_verify.findings import Finding, Report
from suture_verify.messages import lines_of, report_as_json
from suture_verify.notes import MalformedNote, SignedNote, parse_kept

#: Findings that it prints.
NAMED = 10


class Command(CheckCommand):
    help = (
        "Verify the ledger: entries, signatures, seals, sealed rows and texts. The exit code is 0 if it is intact, 1 if"
        " there are findings, and 2 if it cannot be verified."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--tenant", metavar="SLUG", help="verify this tenant only; the default is all")
        parser.add_argument("--agent", metavar="NAME", help="report findings in this agent's chain only")
        parser.add_argument(
            "--trusted-tree-head",
            metavar="FILE",
            type=Path,
            action="append",
            default=[],
            help="a file of signed notes that you keep elsewhere; can be repeated",
        )
        parser.add_argument(
            "--since-last",
            action="store_true",
            help="verify only entries and rows after the last confirmed tree head, which takes seconds",
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
            help="how many of these witnesses are needed; the default is all",
        )
        parser.add_argument(
            "--json", action="store_true", help="print a line of JSON with the report and findings of each tenant"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["since_last"] and options["trusted_tree_head"]:
            raise CommandError("A trusted tree head needs a verification of the whole ledger: omit --since-last.")
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
            wrong = self._verify_all(tenants, trusted, quorum, chain, options)
        if wrong:
            sys.exit(FOUND)

    def _verify_all(
        self,
        tenants: Mapping[str, uuid.UUID],
        trusted: Sequence[SignedNote],
        quorum: Quorum | None,
        chain: str | None,
        options: Mapping[str, Any],
    ) -> bool:
        """Verify tenants and print the findings; returns whether there are any."""
        wrong = False
        for slug, tenant_id in tenants.items():
            own = [note for note in trusted if note.tree_head.origin == f"suture/{tenant_id}"]
            if options["tenant"] and len(own) < len(trusted):
                raise CommandError(f"A trusted tree head does not belong to the tenant {slug}.")
            try:
                with Progress(console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as bars:
                    since = verified_until.last(tenant_id) if options["since_last"] else None
                    report = verification.verify(
                        tenant_id, trusted=own, quorum=quorum, progress=_Bars(bars, slug), since=since
                    )
            except Refusal as refusal:
                raise CommandError(refusal.for_operator) from None
            found = [finding for finding in report.findings if chain in (None, finding.chain)]
            count = report.finding_count if chain is None else len(found)
            if options["json"]:
                self.stdout.write(json.dumps({"slug": slug, **report_as_json(report, tenant_id, found, count)}))
            else:
                self.stdout.write(_summary(slug, report))
                if options["since_last"]:
                    self.stdout.write(f"  {_extent(report)}")
                self._tell(found, count)
            wrong = wrong or bool(found)
        return wrong

    def _tell(self, found: list[Finding], count: int) -> None:
        for head, below in lines_of(found[:NAMED]):
            self.stdout.write(self.style.ERROR(f"  {head}"))
            for line in below:
                self.stdout.write(f"    {line}")
        if count > NAMED:
            self.stdout.write(f"  and {count - NAMED} more")


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
        notes = parse_kept(file.read_text())
    except OSError as error:
        raise CommandError(f"{file}: {error.strerror}") from None
    except (MalformedNote, UnicodeDecodeError) as error:
        raise CommandError(f"{file} is not a file of tree heads: {error}") from None
    if not notes:
        raise CommandError(f"{file} contains no tree head.")
    return notes


def _extent(report: Report) -> str:
    """The parts that a verification with --since-last has skipped."""
    if report.since is None:
        return "No verification confirmed a tree head of this ledger, so everything was verified."
    head = report.since.tree_head
    return (
        f"Skipped: {_counted(head.size, 'row')} with their texts, and the entries up to {head.seq} of the governance"
        f" chain, confirmed at {report.since.at:%Y-%m-%d %H:%M:%S %Z}; and the comparisons of effective memory, rights"
        f" and schema. The last full verification was at {report.since.whole_at:%Y-%m-%d %H:%M:%S %Z}."
    )


def _summary(slug: str, report: Report) -> str:
    outcome = "intact" if report.ok else _counted(report.finding_count, "finding")
    return (
        f"{slug}: {_counted(report.entries, 'entry', 'entries')} in {_counted(report.chains, 'chain')}, "
        f"{_counted(report.seals, 'seal')} over {_counted(report.leaves, 'row')}, {report.erased:,} erased, "
        f"{_counted(report.tree_heads, 'tree head')} compared: {outcome} ({report.seconds:.1f} s)"
    )


def _counted(count: int, one: str, many: str = "") -> str:
    return f"{count:,} {one if count == 1 else many or one + 's'}"
