"""Details about memory's targets on the review page: subject, origin, and the chunks around them."""

import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Model, Q, QuerySet
from django.urls import reverse

from governance.acting.principals import Principal
from governance.database.typed_calls import select
from governance.edits import provenance
from governance.edits.provenance import About, Moment, Origin, Subject, Use
from governance.models import Audience
from memory.models import Artifact, Chunk, ContextBundle, Decision, EffectiveChunk, EffectiveDecision, Event, Scope

#: How many neighbours to show on either side of a target.
AROUND = 3
#: The caller's and the recorded time are shown separately if they differ by more than this; less is transmission time.
CLAIMED_FROM = timedelta(minutes=1)
#: How many characters of a neighbour's text to show.
EXCERPT = 280

_ORIGIN = (
    "SELECT x.id, x.ts, x.session_id, x.channel, x.audience, x.scope, x.project_id, x.event_id, {source}, e.kind,"
    " e.actor_type, e.actor_id, e.recorder_kind, e.recorder, e.recorded_at, e.tags, e.refs"
    " FROM {table} x LEFT JOIN memory_event e ON e.tenant_id = x.tenant_id AND e.id = x.event_id WHERE x.id = %s"
)

# The page of a memory must not show text of another one that readers may not see.
_NEIGHBOURS = (
    "SELECT x.id, x.event_id, x.ts, x.recorder, e.actor_type, e.actor_id, e.recorder_kind, e.recorded_at,"
    " left(span_of(c.body, x.span_start, x.span_end), %s) AS text"
    " FROM memory_effectivechunk x JOIN governance_content c ON c.tenant_id = x.tenant_id AND c.id = x.content_id"
    " LEFT JOIN memory_event e ON e.tenant_id = x.tenant_id AND e.id = x.event_id"
    " WHERE x.tenant_id = context_tenant() AND x.session_id = %s AND NOT x.is_retracted"
    " AND why_hidden(x.audience, false, x.superseded_by IS NOT NULL, x.blocked_channels, x.is_quarantined, x.channel,"
    " x.sensitivity, '{{}}', ROW('{{private,public,team,agent,none,low,high}}', true, '')::reader, false) IS NULL"
    " AND x.id <> %s"
    " AND x.ts {compare} %s ORDER BY x.ts {order}, x.id {order} LIMIT %s"
)


# superseded_by is the memory that replaced it; supersedes are the memories that it replaced.
_IN_CHAIN = (
    "SELECT m.seq, m.reason, m.block_label, m.version, ARRAY(SELECT s.superseded_seq FROM memory_supersession s"
    " WHERE s.tenant_id = m.tenant_id AND s.successor_id = m.id ORDER BY 1) AS supersedes,"
    " (SELECT y.seq FROM memory_effectivechunk x JOIN memory_agentmemory y ON y.tenant_id = x.tenant_id"
    " AND y.id = x.superseded_by WHERE x.tenant_id = m.tenant_id AND x.id = m.id AND x.is_superseded) AS superseded_by"
    " FROM memory_agentmemory m WHERE m.tenant_id = context_tenant() AND m.id = %s"
)


@dataclass(frozen=True, slots=True)
class _InChain:
    """An agent's own memory, by the numbers of its chain."""

    seq: int
    reason: str
    block_label: str | None
    version: int | None
    supersedes: list[int]
    superseded_by: int | None

    def facts(self) -> list[tuple[str, str]]:
        """Lines for the review page."""
        block = f", version {self.version} of the block {self.block_label}" if self.block_label else ""
        found = [("Agent's memory", f"number {self.seq}{block}")]
        if self.supersedes:
            why = f" ({self.reason})" if self.reason else ""
            found.append(("Supersedes", ", ".join(map(str, self.supersedes)) + why))
        if self.superseded_by is not None:
            found.append(("Superseded by", str(self.superseded_by)))
        return found


@dataclass(frozen=True, slots=True)
class _Origin:
    """A target with its event; for a chunk, also its source and recorder."""

    id: uuid.UUID
    ts: datetime
    session_id: str | None
    channel: str
    audience: list[int] | None
    scope: str
    project_id: str | None
    event_id: uuid.UUID | None
    source: str | None
    recorder_of_chunk: str | None
    kind: str | None
    actor_type: str | None
    actor_id: str | None
    recorder_kind: str | None
    recorder: str | None
    recorded_at: datetime | None
    tags: list[str] | None
    refs: list[str] | None


@dataclass(frozen=True, slots=True)
class _Neighbour:
    """A chunk of the same session."""

    id: uuid.UUID
    event_id: uuid.UUID | None
    ts: datetime
    recorder: str
    actor_type: str | None
    actor_id: str | None
    recorder_kind: str | None
    recorded_at: datetime | None
    text: str


class EffectiveSource:
    """A kind of target that has a projection."""

    is_named_in_ledger = False
    scopes = tuple(Scope.values)

    def __init__(
        self,
        name: str,
        model: type[Model],
        record: type[Model],
        source: str = "NULL AS source, NULL AS recorder_of_chunk",
    ) -> None:
        self.name = name
        self.model = model
        self.record = record
        self._origin = _ORIGIN.format(table=model._meta.db_table, source=source)

    def subjects(self, target_ids: list[uuid.UUID], principal: Principal) -> dict[uuid.UUID, Subject]:
        rows = self._rows(principal).filter(id__in=target_ids)
        columns = ("id", "subject_type", "subject_id", "project_id")
        return {target_id: Subject(*about) for target_id, *about in rows.values_list(*columns)}

    def ids_about(self, principal: Principal, about: About) -> QuerySet[Any]:
        named = Q(**about.columns())
        # The projection's indexes exclude retracted rows, so find those by their events, which have the same subject.
        # Each half is a lookup; one condition for both would be a scan (at 100,000 edits 1.0 s instead of 0.1 s).
        rows = self._rows(principal)
        events = Event.objects.filter(named, tenant_id=principal.tenant_id).values("id")
        shown = rows.filter(named, is_retracted=False).values("id")
        recorded = self.record._default_manager.filter(tenant_id=principal.tenant_id, event_id__in=events)
        retracted = rows.filter(id__in=recorded.values("id"), is_retracted=True).values("id")
        return shown.union(retracted, all=True)

    def origin(self, target_id: uuid.UUID) -> Origin:
        found = select(_Origin, self._origin, [target_id], using="review")
        if not found:
            return Origin()
        row = found[0]
        facts = [("Session", row.session_id), ("Channel", row.channel), ("Scope", row.scope)]
        facts += [("For", audience) for audience in self._audiences(row)]
        if row.source:
            facts.append(("Made from", row.source))
        if row.project_id:
            facts.append(("Project", row.project_id))
        if row.event_id and row.kind:
            facts += [
                ("Event", f"{row.kind} {row.event_id}"),
                ("Said or done by", f"{row.actor_type} {row.actor_id}, {row.ts:%Y-%m-%d %H:%M} UTC"),
                ("Recorded by", f"{row.recorder_kind} {row.recorder}, {row.recorded_at:%Y-%m-%d %H:%M} UTC"),
            ]
        else:
            facts.append(("Recorded by", row.recorder_of_chunk or "?"))
            facts += [fact for one in select(_InChain, _IN_CHAIN, [target_id], using="review") for fact in one.facts()]
        facts += [(title, ", ".join(texts)) for title, texts in (("Tags", row.tags), ("Refers to", row.refs)) if texts]
        return Origin([(title, str(value)) for title, value in facts if value], self._around(row))

    def _rows(self, principal: Principal) -> QuerySet[Any]:
        return self.model._default_manager.filter(tenant_id=principal.tenant_id)

    def _audiences(self, row: _Origin) -> list[str]:
        """The audiences of a record, of which a reader must hear each, as text."""
        if not row.audience:
            return []
        found = Audience.objects.using("review").filter(number__in=row.audience).order_by("number")
        return [", ".join(usersets) for usersets in found.values_list("usersets", flat=True)]

    def _around(self, row: _Origin) -> list[Moment]:
        if row.session_id is None:
            return []

        def near(compare: str, order: str) -> list[Moment]:
            sql = _NEIGHBOURS.format(compare=compare, order=order)
            values = [EXCERPT, row.session_id, row.id, row.ts, AROUND]
            return [
                Moment(other.ts, _said(other), other.text)
                for other in select(_Neighbour, sql, values, using="review")
                if self.name == "chunk" or other.event_id != row.event_id
            ]

        here = Moment(row.ts, f"this {self.name}", None, is_target=True)
        return [*reversed(near("<=", "DESC")), here, *near(">", "ASC")]


def _said(row: _Neighbour) -> str:
    """The speaker according to the event, and the recorder according to the server; only the latter if they are the
    same. The time is the claimed one, followed by the recorded one if it differs."""
    if row.actor_type is None:
        return row.recorder
    said = f"{row.actor_type} {row.actor_id}"
    recorded = [] if (row.actor_type, row.actor_id) == (row.recorder_kind, row.recorder) else [f"by {row.recorder}"]
    if row.recorded_at is not None and abs(row.recorded_at - row.ts) > CLAIMED_FROM:
        recorded.append(f"{row.recorded_at:%Y-%m-%d %H:%M:%S} UTC")
    return f"{said} (recorded {', '.join(recorded)})" if recorded else said


_NEWEST_BUNDLES = (
    "SELECT DISTINCT i.bundle_id FROM unnest(%s::uuid[]) AS memory (id) CROSS JOIN LATERAL ("
    " SELECT bundle_id FROM memory_contextbundleitem WHERE tenant_id = %s AND memory_id = memory.id"
    " ORDER BY bundle_id DESC LIMIT %s) AS i ORDER BY i.bundle_id DESC LIMIT %s"
)


def injected(target_type: str, target_id: uuid.UUID, principal: Principal) -> Iterable[Use]:
    """The newest context bundles that injected the target, itself or as a part. A decision and its chunk are one
    memory, so bundles with either count for both."""
    ids = list(ids_of_memory(target_id, principal.tenant_id))
    most = provenance.USES_AT_MOST
    newest = select(uuid.UUID, _NEWEST_BUNDLES, [ids, principal.tenant_id, most, most])
    bundles = ContextBundle.objects.filter(tenant_id=principal.tenant_id, id__in=newest)
    for bundle in bundles.defer("items", "omissions").order_by("-id"):
        name = f"{str(bundle.id)[-8:]} for {bundle.actor_kind} {bundle.actor}"
        yield Use("context bundle", name, bundle.built_at, reverse("admin:story", args=[bundle.id]))


def ids_of_memory(record_id: uuid.UUID, tenant_id: uuid.UUID) -> set[uuid.UUID]:
    """The ids of one memory: its own; for a chunk, those of its decision and artifact; for a decision, an artifact or
    an event, those of all its chunks."""
    found = {record_id}
    models: tuple[type[Model], ...] = (Chunk, Decision, Artifact)
    for own in models:
        mine = own._default_manager.filter(tenant_id=tenant_id, id=record_id)
        event_id = mine.values_list("event_id", flat=True).first()
        if event_id is not None:
            break
    else:
        own, event_id = Event, record_id
    for twin in models:
        if twin is not own:
            twins = twin._default_manager.filter(tenant_id=tenant_id, event_id=event_id)
            found |= set(twins.values_list("id", flat=True))
    return found


def same_memory(record_id: uuid.UUID, principal: Principal) -> Iterable[uuid.UUID]:
    """The other ids of the same memory."""
    return ids_of_memory(record_id, principal.tenant_id) - {record_id}


def register() -> None:
    """Register memory's sources and uses; called once, when the app is ready."""
    provenance.register(EffectiveSource("chunk", EffectiveChunk, Chunk, "x.source, x.recorder AS recorder_of_chunk"))
    provenance.register(EffectiveSource("decision", EffectiveDecision, Decision))
    provenance.register_uses("memory", injected)
    provenance.register_holders("memory", same_memory)
