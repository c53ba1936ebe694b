"""The views of context bundles."""

import uuid
from collections.abc import Mapping
from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from governance import text
from governance.acting.principals import Principal
from governance.http.idempotency import IdempotentMixin
from governance.http.views import GovernedView
from governance.inputs import BooleanField, ChoiceField, FloatField, IntegerField, StrictSerializer, TextField
from governance.models import Channel, Sensitivity
from memory.api import shapes
from memory.api.curation import OwnMemoryOutput
from memory.api.surgery import DecisionOutput
from memory.context import building
from memory.context.building import Bundle
from memory.context.packing import REASONS, Packed
from memory.context.replay import replay
from memory.context.sections import COUNTED_BEYOND, Section
from memory.event_content import id_field
from memory.models import Event, Kind, Task
from memory.queries.events import of_chunks
from suture_client.text.invisible import drop_invisible_in

FORMATS = [("json", "json"), ("text", "text")]


class BuildInput(StrictSerializer):
    session_id = id_field()
    channel = ChoiceField(Channel.choices)
    subject_type = id_field(required=False, allow_null=True)
    subject_id = id_field(required=False, allow_null=True)
    project_id = id_field(required=False, allow_null=True)
    query = TextField(
        text.TOPIC,
        required=False,
        allow_null=True,
        help_text="The topic of the evidence (default: the last message of a person in the session).",
    )
    include_capsules = BooleanField(default=True)
    include_quarantined = BooleanField(default=False)
    collapse_duplicates = BooleanField(
        default=True, help_text="Keep one of several pieces of evidence that say the same (docs/search.md)."
    )
    max_tokens = IntegerField(
        min_value=256,
        max_value=1_000_000,
        default=65_000,
        help_text="Maximum number of tokens (o200k_base) of the text form. The lists of the format `json` are longer:"
        " field names, ids and hashes are not counted.",
    )
    also_from = shapes.also_from_field()
    origin_share = FloatField(
        min_value=0.01,
        max_value=1,
        default=0.5,
        help_text="The share of the evidence that one session or recorder (for capsules: one author) may fill while"
        " others can fill the rest.",
    )
    format = ChoiceField(FORMATS, default="json")


class ProvenanceOutput(serializers.Serializer[Any]):
    ref = serializers.CharField(help_text="The name of the memory in the text form.")
    section = serializers.CharField()
    kind = serializers.CharField()
    id = serializers.UUIDField()
    tokens = serializers.IntegerField(help_text="Its tokens in the text form, with its heading line.")
    edits_applied = serializers.IntegerField()
    content_hash = serializers.CharField(allow_null=True)
    score = serializers.FloatField(allow_null=True, help_text="0.6 similarity + 0.3 recency + 0.1 importance.")
    similarity = serializers.FloatField(allow_null=True)
    recency = serializers.FloatField(allow_null=True)


class WhoseOutput(serializers.Serializer[Any]):
    """Who said it, as the event claims; and who recorded it and when, as the server knows."""

    actor_type = serializers.ChoiceField(Event.ActorType.choices, allow_null=True)
    actor_id = serializers.CharField(allow_null=True)
    recorder = serializers.CharField(help_text="The name of the principal whose key recorded it.")
    recorder_kind = serializers.CharField(allow_null=True)
    recorded_at = serializers.DateTimeField(
        allow_null=True, help_text="When it was recorded; `ts` is when it happened, as the event claims."
    )


class InjectedChunkOutput(WhoseOutput, shapes.ChunkOutput):
    kind = serializers.ChoiceField(Kind.choices, allow_null=True)
    provenance = ProvenanceOutput()


class CoreMemoryOutput(OwnMemoryOutput):
    # which a bundle does not have
    content = content_hash = importance_score = None  # type: ignore[assignment] # fields left out
    text = serializers.CharField()
    recorder = serializers.CharField()
    provenance = ProvenanceOutput()


class InjectedDecisionOutput(WhoseOutput, DecisionOutput):
    provenance = ProvenanceOutput()


class InjectedTaskOutput(WhoseOutput, shapes.ScopeOutput):
    task_id = serializers.UUIDField()
    title = serializers.CharField()
    details = serializers.CharField(allow_null=True)
    status = serializers.ChoiceField(Task.Status.choices)
    ts = serializers.DateTimeField()
    is_quarantined = serializers.BooleanField()
    edits_applied = serializers.IntegerField()
    event_id = serializers.UUIDField()
    session_id = serializers.CharField(allow_null=True)
    channel = serializers.ChoiceField(Channel.choices)
    provenance = ProvenanceOutput()


class SessionContentOutput(shapes.ContentScopeOutput):
    text = serializers.CharField(help_text="The effective text of the event's chunks in the bundle.")


class SessionEventOutput(WhoseOutput, shapes.ScopeOutput):
    """An event of the recent window, with the text of its chunks in the bundle."""

    event_id = serializers.UUIDField()
    ts = serializers.DateTimeField()
    session_id = serializers.CharField()
    channel = serializers.ChoiceField(Channel.choices)
    kind = serializers.ChoiceField(Kind.choices)
    sensitivity = serializers.ChoiceField(Sensitivity.choices)
    tags = serializers.ListField(child=serializers.CharField())
    refs = serializers.ListField(child=serializers.CharField())
    content = SessionContentOutput(help_text="The bundle's tokens count this text once.")
    chunk_ids = serializers.ListField(child=serializers.UUIDField())


class SessionOutput(serializers.Serializer[Any]):
    session_id = serializers.CharField()
    events = SessionEventOutput(many=True)
    chunks = InjectedChunkOutput(many=True)


class FilledSectionOutput(serializers.Serializer[Any]):
    name = serializers.CharField()
    share_percent = serializers.IntegerField()
    budget = serializers.IntegerField(help_text="The section's share, plus what other sections left unused.")
    tokens = serializers.IntegerField()
    items = serializers.IntegerField()


class OmissionOutput(serializers.Serializer[Any]):
    section = serializers.CharField()
    reason = serializers.ChoiceField([(reason, reason) for reason in REASONS])
    count = serializers.IntegerField(
        help_text=f"Counts at most {COUNTED_BEYOND} memories that were not fetched, and at most {COUNTED_BEYOND}"
        " hidden ones."
    )
    ids = serializers.ListField(child=serializers.UUIDField(), help_text=f"The first {building.NAMED_IDS} ids.")


class TrimmedOutput(serializers.Serializer[Any]):
    section = serializers.CharField()
    kind = serializers.CharField(help_text="`chunk`, `decision` or `task`; `event` for the chunks of one event.")
    id = serializers.UUIDField()
    tokens = serializers.IntegerField(help_text="Its tokens in the bundle.")
    of_tokens = serializers.IntegerField(help_text="All of its tokens; for an event, those of the fetched chunks.")


class _BundleOutput(serializers.Serializer[Any]):
    acb_id = serializers.UUIDField()
    built_at = serializers.DateTimeField()
    total_tokens = serializers.IntegerField(
        help_text="The tokens (o200k_base) of the text form, in both formats: of `text` in the format `text`; in the"
        " format `json`, of the same memories as text, without field names, ids and hashes."
    )
    max_tokens = serializers.IntegerField()
    edits_applied = serializers.IntegerField()
    sections = FilledSectionOutput(many=True)
    omissions = OmissionOutput(many=True)
    trimmed = TrimmedOutput(many=True, help_text="The shortened items: each may fill at most a quarter of its section.")


class TextBundleOutput(_BundleOutput):
    text = serializers.CharField()
    provenance = ProvenanceOutput(many=True)


class BundleOutput(_BundleOutput):
    """In the format `text`, it has `text` and `provenance` instead of the lists."""

    core = CoreMemoryOutput(many=True, required=False)
    session = SessionOutput(required=False)
    active_decisions = InjectedDecisionOutput(many=True, required=False)
    active_tasks = InjectedTaskOutput(many=True, required=False)
    capsules = serializers.ListField(
        child=serializers.DictField(),
        required=False,
        help_text="Each as `GET /capsules/{capsule_id}` shows it, with its `provenance`.",
    )
    handoff = InjectedChunkOutput(many=True, required=False)
    evidence = InjectedChunkOutput(many=True, required=False)
    text = serializers.CharField(required=False)
    provenance = ProvenanceOutput(many=True, required=False)


class BuildOutput(serializers.Serializer[Any]):
    acb = BundleOutput()


class BuildView(IdempotentMixin, GovernedView):
    """Build a context bundle."""

    # it records what was injected, like any access, but changes no memory
    only_reads = True
    stores_response = False

    @extend_schema(
        operation_id="acb_build",
        request=BuildInput,
        responses=BuildOutput,
        description="What an agent should know before a turn, within `max_tokens`; and what was omitted, with reasons.",
    )
    def post(self, request: Request) -> Response:
        values = BuildInput.of(request.data)
        return Response({"acb": drop_invisible_in(built_json(self.principal, values))})


def built_json(principal: Principal, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Build the bundle for a validated `BuildInput` and return it in its format."""
    values = dict(asked)
    form = values.pop("format")
    bundle = building.build(actor=principal, **values)
    about = {
        "acb_id": bundle.id,
        "built_at": bundle.built_at,
        "total_tokens": bundle.packing.total_tokens,
        "max_tokens": bundle.request.max_tokens,
        "edits_applied": bundle.edits_applied,
        "sections": building.sections_json(bundle.packing.sections),
        "omissions": building.omissions_json(bundle.packing.omissions),
        "trimmed": building.trimmed_json(bundle.packing.trimmed),
    }
    if form == "text":
        shown = [_provenance(section, item) for section, item in bundle.packing.items]
        return {**about, "text": bundle.text(), "provenance": shown}
    return {**about, **_lists(bundle)}


def _lists(bundle: Bundle) -> dict[str, Any]:
    by_section = {
        packed.section.name: [
            {**item.candidate.item, "provenance": _provenance(packed.section, item)} for item in packed.items
        ]
        for packed in bundle.packing.sections
    }
    window = by_section.pop("recent_window")
    return {
        "session": {
            "session_id": bundle.request.session_id,
            "events": of_chunks(bundle.request.principal, [one.candidate.item for one in bundle.of("recent_window")]),
            "chunks": window,
        },
        "active_decisions": by_section.pop("rules") + by_section.pop("decisions"),
        "active_tasks": by_section.pop("tasks"),
        "capsules": by_section.pop("capsules", []),
        **by_section,
    }


def _provenance(section: Section, item: Packed) -> Mapping[str, Any]:
    one = item.candidate
    return {
        "ref": item.ref,
        "section": section.name,
        "kind": one.kind,
        "id": one.id,
        "tokens": item.tokens,
        "edits_applied": one.edits_applied,
        "content_hash": one.content_hash,
        "score": one.score,
        "similarity": one.similarity,
        "recency": one.recency,
    }


class ReplayedPartOutput(serializers.Serializer[Any]):
    kind = serializers.CharField()
    id = serializers.UUIDField()
    edits_applied = serializers.IntegerField(help_text="Number of edits at the time of the bundle.")
    content_hash = serializers.CharField(allow_null=True, help_text="The hash of the injected text.")
    text = serializers.CharField(allow_null=True, help_text="The current text; null if you may no longer see it.")
    changed_since = serializers.BooleanField(allow_null=True)


class ReplayedItemOutput(ReplayedPartOutput):
    section = serializers.CharField()
    score = serializers.FloatField(allow_null=True)
    tokens = serializers.IntegerField()
    parts = ReplayedPartOutput(many=True)


class ReplayOutput(serializers.Serializer[Any]):
    acb_id = serializers.UUIDField()
    built_at = serializers.DateTimeField()
    built_by = serializers.CharField()
    request = serializers.DictField(help_text="The request without the text of the query.")
    query_hash = serializers.CharField(allow_null=True)
    total_tokens = serializers.IntegerField()
    edits_applied = serializers.IntegerField()
    omissions = OmissionOutput(many=True)
    items = ReplayedItemOutput(many=True)


class BundleView(GovernedView):
    """A recorded context bundle, for its builder and for people with a role."""

    @extend_schema(
        operation_id="acb_read",
        summary="Read a recorded context bundle",
        parameters=[OpenApiParameter("acb_id", uuid.UUID, OpenApiParameter.PATH)],
        responses=ReplayOutput,
        description="The ids, scores and hashes at that time, with the current text.",
    )
    def get(self, request: Request, acb_id: uuid.UUID) -> Response:
        found = replay(self.principal, acb_id)
        bundle = found.bundle
        return Response(
            {
                "acb_id": bundle.id,
                "built_at": bundle.built_at,
                "built_by": bundle.actor,
                "request": bundle.request,
                "query_hash": bytes(bundle.query_hash).hex() if bundle.query_hash is not None else None,
                "total_tokens": bundle.total_tokens,
                "edits_applied": bundle.edits_applied,
                "omissions": bundle.omissions,
                "items": found.items,
            }
        )
