"""The home page: pending edits, verdicts, the growth of memory, and the state of the ledger."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final

from django.db.models import Count, Q, QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.timesince import timesince

from governance import daily_counts
from governance.acting.principals import Principal
from governance.admin.waiting import waiting_for
from governance.daily_counts import Recent
from governance.edits import policies
from governance.ledger import published_tree_heads, status, verified_until
from governance.models import Edit, EditState, MerkleTree, Verdict

RECENT_VERDICTS = 6
#: Counts stop here, like the lists that they link to.
COUNTED_AT_MOST = 10_000
#: The ages in days by which pending edits are grouped: those that the queue's filter offers.
AGES = ((1, "a day"), (7, "a week"), (21, "three weeks"))
#: Chart colours of outcomes, distinguishable in light and dark themes and for colour-blind people.
COLOURS = {"approved": "#9333ea", "rejected": "#f59e0b", "withdrawn": "#0d9488", "expired": "#94a3b8"}
LINES = ("#0d9488", "#9333ea", "#f59e0b")
OPERATIONS = dict(
    zip(Edit.Op.values, ("#9333ea", "#0d9488", "#f59e0b", "#0284c7", "#db2777", "#65a30d", "#94a3b8"), strict=True)
)
_TEXT = "#6b7280"
_AXIS: Final[dict[str, Any]] = {"grid": {}, "border": {"display": False}}


def _options(*, is_stacked: bool) -> str:
    """Options that Unfold's defaults lack: a legend, numbers on the y axis, stacked bars."""
    return json.dumps(
        {
            "responsive": True,
            "maintainAspectRatio": False,
            "animation": False,
            "elements": {"point": {"radius": 0, "hitRadius": 8}, "line": {"borderWidth": 2}},
            "interaction": {"mode": "index", "intersect": False},
            "plugins": {
                "legend": {"position": "bottom", "labels": {"color": _TEXT, "boxWidth": 10, "boxHeight": 10}},
            },
            "scales": {
                "x": {
                    **_AXIS,
                    "grid": {"display": False},
                    "stacked": is_stacked,
                    "ticks": {"color": _TEXT, "maxRotation": 0, "autoSkipPadding": 12},
                },
                "y": {
                    **_AXIS,
                    "stacked": is_stacked,
                    "beginAtZero": True,
                    "ticks": {"color": _TEXT, "precision": 0, "maxTicksLimit": 6},
                },
            },
        }
    )


@dataclass(frozen=True, slots=True)
class Fact:
    """One number of the page, with a link to its list."""

    label: str
    value: str
    link: str = ""
    note: str = ""
    is_alarm: bool = False


@dataclass(frozen=True, slots=True)
class Panel:
    """Facts under a title; other apps register theirs."""

    title: str
    facts: Callable[[Principal], list[Fact]]


@dataclass(frozen=True, slots=True)
class LinkedFigure:
    """A figure as text, with a link to its list."""

    text: str
    link: str


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart for Chart.js, with the same figures as text for people who cannot see it."""

    title: str
    kind: str  # bar, line
    data: str
    figures: list[LinkedFigure]
    empty: str

    @property
    def options(self) -> str:
        return _options(is_stacked=self.kind == "bar")

    @property
    def summary(self) -> str:
        """The figures in one sentence."""
        return ", ".join(figure.text for figure in self.figures) or self.empty


_panels: list[Panel] = []
_alarms: list[Callable[[Principal], list[Fact]]] = []
_growth: list[tuple[str, str, str]] = []


def register(panel: Panel) -> None:
    """Add a panel to the home page; called once by its app's admin."""
    _panels.append(panel)


def register_alarms(alarms: Callable[[Principal], list[Fact]]) -> None:
    """Add alarms, which the home page shows first; called once by its app's admin."""
    _alarms.append(alarms)


def register_growth(name: str, page: str, since: str = "since") -> None:
    """Add a daily figure to the chart of growth; `page` names its list, `since` the list's filter by time."""
    _growth.append((name, page, since))


def count_of(rows: QuerySet[Any]) -> str:
    """The number of rows as text."""
    return _counted(rows.order_by()[:COUNTED_AT_MOST].count())


def home_of(principal: Principal) -> dict[str, Any]:
    """The context of the home page for `principal`. Called within the tenant."""
    recent, days = daily_counts.recent(principal.tenant_id), _days()
    return {
        "alarms": [fact for alarms in _alarms for fact in alarms(principal)],
        "waiting": waiting_for(principal),
        "policy_changes": policies.pending_changes(principal.tenant_id),
        "verdicts": _verdicts_of(principal),
        "charts": [_proposals(recent, days), _decisions(recent, days), _ages(principal), _recorded(recent, days)],
        "panels": [
            ("Ledger", ledger_facts(principal)),
            *((panel.title, panel.facts(principal)) for panel in _panels),
        ],
    }


def ledger_facts(principal: Principal) -> list[Fact]:
    """The times of the last seal, tree head and verification of the ledger."""
    tree = MerkleTree.objects.filter(tenant_id=principal.tenant_id).first()
    entries = reverse("admin:governance_entry_changelist")
    note = published_tree_heads.path_of(principal.tenant_id)
    noted = datetime.fromtimestamp(note.stat().st_mtime, UTC) if note.exists() else None
    sealed_at = tree.sealed_at if tree else None
    verified = status.last_verification(principal.tenant_id, tree)
    alarm = (
        [Fact("Sealing stopped", _ago(tree.alarm_at), note=tree.alarm, is_alarm=True)] if tree and tree.alarm else []
    )
    return [
        *alarm,
        Fact(
            "Last seal",
            _ago(sealed_at),
            f"{entries}?type=seal",
            f"{tree.size:,} rows sealed" if tree and sealed_at else "The worker seals new rows. Check that it runs.",
        ),
        Fact(
            "Last tree head",
            _ago(noted),
            note="outside the database" if noted else "The worker publishes a tree head after each seal.",
        ),
        Fact(
            "Last verification",
            _ago(verified.at if verified else None),
            f"{entries}?type=ledger.verified",
            _verified(verified.findings if verified else None),
            is_alarm=bool(verified and verified.findings),
        ),
        _confirmed(principal),
    ]


def _confirmed(principal: Principal) -> Fact:
    """The position of the last verification without findings, and the time of the last full one."""
    found = verified_until.last(principal.tenant_id)
    if found is None:
        return Fact("Confirmed up to", "nothing", note="The next verification is a full one.")
    return Fact(
        "Confirmed up to",
        f"{found.tree_head.size:,} rows",
        reverse("admin:governance_entry_verify"),
        f"entry {found.tree_head.seq:,}, {_ago(found.at)}; full verification {_ago(found.whole_at)}",
    )


def _verified(findings: int | None) -> str:
    if findings is None:
        return "The worker verifies the ledger every night. To verify it now, run manage.py verify_chain."
    return f"{findings:,} findings" if findings else "intact"


def _verdicts_of(principal: Principal) -> list[Verdict]:
    verdicts = Verdict.objects.filter(tenant_id=principal.tenant_id, decided_by=principal.id)
    return list(verdicts.select_related("edit").order_by("-id")[:RECENT_VERDICTS])


def _proposals(recent: Recent, days: list[date]) -> Chart:
    """Edits per day by operation."""
    proposed = {op: recent.daily.get(f"edits {op} proposed", {}) for op in OPERATIONS}
    page = reverse("admin:governance_edit_changelist")
    totals = {op: sum(found.values()) for op, found in proposed.items()}
    linked = [
        LinkedFigure(
            f"{count:,} {op}", f"{page}?{urlencode({'status': 'all', 'op__exact': op, 'since': str(days[0])})}"
        )
        for op, count in sorted(totals.items(), key=lambda one: -one[1])
        if count
    ]
    bars = {op: ([found.get(day, 0) for day in days], OPERATIONS[op]) for op, found in proposed.items() if totals[op]}
    return Chart(
        f"Edits proposed, by day ({daily_counts.DAYS} days)",
        "bar",
        _data(_labels(days), bars),
        linked,
        _none(recent, "No edits were proposed.", "Agents propose edits with POST /api/v1/edits."),
    )


def _decisions(recent: Recent, days: list[date]) -> Chart:
    """Verdicts per day by outcome; the text names the operations."""
    outcomes = {outcome: [0] * len(days) for outcome in COLOURS}
    totals: dict[tuple[str, str], int] = {}
    for op in Edit.Op.values:
        for outcome, counts in outcomes.items():
            found = recent.daily.get(f"edits {op} {outcome}", {})
            for place, day in enumerate(days):
                counts[place] += found.get(day, 0)
            totals[op, outcome] = sum(found.values())
    page = reverse("admin:governance_verdict_changelist")
    linked = [
        LinkedFigure(
            f"{count:,} {op} {outcome}",
            f"{page}?{urlencode({'edit__op__exact': op, 'decision__exact': outcome, 'since': str(days[0])})}",
        )
        for (op, outcome), count in sorted(totals.items(), key=lambda one: -one[1])
        if count
    ]
    return Chart(
        f"Verdicts, by day ({daily_counts.DAYS} days)",
        "bar",
        _data(_labels(days), {name: (counts, COLOURS[name]) for name, counts in outcomes.items()}),
        linked,
        _none(recent, "No edits were decided.", "This chart counts verdicts of people and of the policy."),
    )


def _ages(principal: Principal) -> Chart:
    now = timezone.now()
    oldest = EditState.objects.filter(tenant_id=principal.tenant_id, status=EditState.Status.PENDING).order_by(
        "created_at"
    )[:COUNTED_AT_MOST]
    older = {f"older_{days}": Count("edit_id", Q(created_at__lt=now - timedelta(days=days))) for days, _ in AGES}
    # cumulative, like the queue's filter: edits of at least this age
    counts = [*oldest.aggregate(all=Count("edit_id"), **older).values()]
    page = reverse("admin:governance_edit_changelist")
    names = [("pending", ""), *((f"for {name} or more", f"&older={days}") for days, name in AGES)]
    labels = ["< 1 day", "1-7 days", "7-21 days", "> 21 days"]
    spans = [count - following for count, following in zip(counts, [*counts[1:], 0], strict=True)]
    return Chart(
        "Pending edits, by age",
        "bar",
        _data(labels, {"pending": (spans, COLOURS["approved"])}),
        [
            LinkedFigure(f"{_counted(count)} {name}", f"{page}?status=pending{older}")
            for count, (name, older) in zip(counts, names, strict=True)
            if count
        ],
        "No edit is pending.",
    )


def _counted(count: int) -> str:
    return f"{count:,} or more" if count == COUNTED_AT_MOST else f"{count:,}"


def _recorded(recent: Recent, days: list[date]) -> Chart:
    lines = {
        name: ([recent.daily.get(name, {}).get(day, 0) for day in days], colour)
        for (name, *_), colour in zip(_growth, LINES, strict=False)
    }
    return Chart(
        f"Recorded, by day ({daily_counts.DAYS} days)",
        "line",
        _data(_labels(days), lines),
        [
            LinkedFigure(f"{sum(lines[name][0]):,} {name}", f"{reverse(page)}?{since}={days[0]}")
            for name, page, since in _growth
            if any(lines[name][0])
        ],
        _none(recent, "Nothing was recorded.", "Agents record events with POST /api/v1/events."),
    )


def _none(recent: Recent, nothing: str, what_to_do: str) -> str:
    """The text for a chart without figures; it claims that there were none only if the counts are complete."""
    if recent.is_late:
        return (
            "These counts are not up to date. The worker updates them every two minutes: check that it runs."
            f" {what_to_do}"
        )
    return f"{nothing} {what_to_do}"


def _data(labels: list[str], lines: dict[str, tuple[list[int], str]]) -> str:
    return json.dumps(
        {
            "labels": labels,
            "datasets": [
                {"label": name, "data": counts, "backgroundColor": colour, "borderColor": colour}
                for name, (counts, colour) in lines.items()
            ],
        }
    )


def _labels(days: list[date]) -> list[str]:
    return [f"{day:%b} {day.day}" for day in days]


def _days() -> list[date]:
    today = timezone.now().astimezone(UTC).date()
    return [today - timedelta(days=back) for back in reversed(range(daily_counts.DAYS))]


def _ago(moment: datetime | None) -> str:
    return f"{timesince(moment)} ago" if moment else "never"
