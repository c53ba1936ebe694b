"""The report of a verification, as lines for people and as JSON for programs."""

import uuid
from collections.abc import Iterable, Iterator
from typing import Any

from suture_verify.findings import Finding, Kind, Report


def head_of(finding: Finding) -> str:
    """Return one line with the kind, the place and the fault: `gap: governance at 3: missing: 3`."""
    place = "" if finding.seq is None else f" at {finding.seq}"
    return f"{finding.kind}: {finding.chain}{place}: {finding.detail}"


def details_of(finding: Finding) -> list[str]:
    """Return lines with the row of a finding, the actual and expected values, and the first seal that shows it."""
    facts = {
        "row": _row_of(finding),
        "found": finding.found,
        "expected": finding.expected,
        "since": None if finding.since is None else f"the seal in governance entry {finding.since}",
    }
    return [f"{name:<10}{fact}" for name, fact in facts.items() if fact is not None]


def lines_of(findings: Iterable[Finding]) -> Iterator[tuple[str, list[str]]]:
    """Yield the head of each finding and the lines below it. Meaning and advice of a kind are printed once."""
    told: set[Kind] = set()
    for finding in findings:
        below = details_of(finding)
        if finding.kind not in told:
            below += [f"{'means':<10}{finding.kind.meaning}", f"{'do':<10}{finding.kind.advice}"]
            told.add(finding.kind)
        yield head_of(finding), below


def report_as_json(report: Report, tenant: uuid.UUID, findings: Iterable[Finding], count: int) -> dict[str, Any]:
    """Convert a report to JSON values: the counts, and these findings out of `count`."""
    return {
        "tenant": str(tenant),
        "ok": count == 0,
        "finding_count": count,
        "findings": [finding_as_json(finding) for finding in findings],
        "entries": report.entries,
        "chains": report.chains,
        "leaves": report.leaves,
        "unsealed": report.unsealed,
        "seals": report.seals,
        "erased": report.erased,
        "tree_heads": report.tree_heads,
        "signatures": report.signatures,
        "seconds": round(report.seconds, 3),
        "since": _since_of(report),
    }


def _since_of(report: Report) -> dict[str, Any] | None:
    """Return the part that an earlier verification covered; None if this one covered everything."""
    if (since := report.since) is None:
        return None
    head = since.tree_head
    return {
        "size": head.size, "seq": head.seq, "at": since.at.isoformat(), "whole_at": since.whole_at.isoformat(),
    }  # fmt: skip


def finding_as_json(finding: Finding) -> dict[str, Any]:
    """Convert a finding to JSON values, with null for missing ones."""
    row = finding.row
    return {
        "kind": str(finding.kind),
        "chain": finding.chain,
        "seq": finding.seq,
        "detail": finding.detail,
        "table": row.table if row else None,
        "id": row.id if row else None,
        "field": row.field if row else None,
        "found": finding.found,
        "expected": finding.expected,
        "since": finding.since,
        "meaning": finding.kind.meaning,
        "advice": finding.kind.advice,
    }


def _row_of(finding: Finding) -> str | None:
    if (row := finding.row) is None:
        return None
    return f"{row.table} {row.id}" + (f", {row.field}" if row.field else "")
