"""Views of edits by filter, decisions in force and a chunk's history."""

import json
import uuid
from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from governance import edits, text
from governance.api.batches import PreviewOrCommitInput
from governance.api.shapes import BulkOutput, EditOutput, PatchInput, bulk_json, edits_json
from governance.database.typed_calls import ColumnDict
from governance.faults import Faults
from governance.http.idempotency import IdempotentMixin
from governance.http.views import GovernedView
from governance.inputs import ChoiceField, InstantField, IntegerField, StrictSerializer, TextField
from governance.models import Channel, Edit
from governance.relations.audience_json import AudienceInput, render
from memory.api import shapes
from memory.api.chunks import chunk_json
from memory.api.filters import DecisionFilter, without_audience
from memory.event_content import id_field
from memory.models import Relation, Retention, Scope
from memory.queries import decisions, history
from memory.queries.rows import ChunkState
from memory.services import surgery
from memory.usage.deliveries import deliver, versions_of
from memory.usage.means import Means


class FilterInput(StrictSerializer):
    recorder = id_field(required=False, help_text="The agent or person who recorded it, by name.")
    scope = ChoiceField(Scope.choices, required=False)
    subject_type = id_field(required=False)
    subject_id = id_field(required=False)
    project_id = id_field(required=False)
    session_id = id_field(required=False)
    channel = ChoiceField(Channel.choices, required=False)
    since = InstantField(required=False)
    until = InstantField(required=False)
    phrase = TextField(text.QUERY, required=False, help_text="Words in this order in the effective text.")


class ByFilterInput(PreviewOrCommitInput):
    """Send filter, op, reason and patch for a preview, or the token of a preview to commit it."""

    needed = ("filter", "op", "reason")
    beside_token = ("part",)

    filter = FilterInput(required=False)
    op = ChoiceField([choice for choice in Edit.Op.choices if choice[0] != "revert"], required=False)
    reason = TextField(text.REASON, required=False)
    patch = PatchInput(required=False)
    part = IntegerField(
        required=False,
        min_value=1,
        help_text="With a token: the part to commit (default: the first uncommitted one).",
    )

    def check(self, values: dict[str, Any], pointer: str, faults: Faults) -> None:
        """Require either the token, or the fields of a preview."""
        super().check(values, pointer, faults)
        if "part" in values and "token" not in values:
            faults.add(f"{pointer}/token", "A part needs the token of its preview.")


class ByFilterPreviewOutput(serializers.Serializer[Any]):
    count = serializers.IntegerField()
    sample = shapes.ChunkByIdOutput(many=True)
    token = serializers.CharField()
    parts = serializers.IntegerField(help_text="The number of commits: one for every 5,000 chunks.")


class ByFilterCommitOutput(BulkOutput):
    part = serializers.IntegerField(help_text="The part that this request committed, counted from 1.")
    parts = serializers.IntegerField()
    is_complete = serializers.BooleanField(
        help_text="Whether this was the last part. If not, send the token again for the next part."
    )


class ByFilterView(IdempotentMixin, GovernedView):
    """Propose an edit for all chunks that match a filter."""

    # a preview's sample contains text of memory
    stores_response = False

    @extend_schema(
        operation_id="edits_by_filter",
        request=ByFilterInput,
        responses={200: ByFilterPreviewOutput, 201: ByFilterCommitOutput},
        description="First request a preview: the response (200) has the count, a sample and a token. Then send the "
        "token to commit it (201). More than 5,000 chunks take several commits with the same token, one for each part:"
        " repeat until `is_complete` is true. A part is committed once, all or nothing.",
    )
    def post(self, request: Request) -> Response:
        values = ByFilterInput.of(request.data)
        if "token" in values:
            self.stores_response = True  # only ids and statuses: the same key gets the same batch
            done = surgery.commit_by_filter(values["token"], actor=self.principal, part=values.get("part"))
            answer = {"part": done.part, "parts": done.parts, "is_complete": done.is_complete}
            return Response({**bulk_json(done.batch), **answer}, status.HTTP_201_CREATED)
        conditions = {
            name: value.isoformat() if hasattr(value, "isoformat") else value
            for name, value in values["filter"].items()
        }
        preview = surgery.preview_by_filter(
            actor=self.principal,
            filter=conditions,
            op=values["op"],
            reason=values["reason"],
            patch=edits.Patch.of(values.get("patch", {})),
        )
        sample = [chunk_json(row) for row in preview.sample]
        deliver(self.principal, versions_of(sample), means=Means.PREVIEW)
        return Response({"count": preview.count, "sample": sample, "token": preview.token, "parts": preview.parts})


class DecisionOutput(shapes.ScopeOutput):
    decision_id = serializers.UUIDField()
    decision = serializers.CharField()
    rationale = serializers.ListField(child=serializers.CharField())
    constraints = serializers.ListField(child=serializers.CharField())
    alternatives = serializers.ListField(child=serializers.CharField())
    precedence = serializers.IntegerField()
    importance = serializers.FloatField()
    ts = serializers.DateTimeField()
    is_quarantined = serializers.BooleanField()
    edits_applied = serializers.IntegerField()
    event_id = serializers.UUIDField()
    session_id = serializers.CharField(allow_null=True)
    channel = serializers.ChoiceField(Channel.choices)


class ActiveDecisionsOutput(serializers.Serializer[Any]):
    decisions = DecisionOutput(many=True)


class ActiveDecisionsView(GovernedView):
    """The decisions in force."""

    reads_query = True

    @extend_schema(
        operation_id="decisions_active",
        parameters=[DecisionFilter.schema()],
        responses=ActiveDecisionsOutput,
        description="Decisions in force by precedence (policy 4, project 3, user 2, session 1, global 0), then newest.",
    )
    def get(self, request: Request) -> Response:
        filters, audience = without_audience(DecisionFilter.read(request).values)
        found = decisions.active(self.principal, limit=filters.pop("limit"), filters=filters, **audience)
        return Response({"decisions": [decisions.decision_json(row) for row in found]})


class StateOutput(serializers.Serializer[Any]):
    edit_id = serializers.UUIDField(
        allow_null=True, help_text="The edit that led to this state; null for the recorded state."
    )
    at = serializers.DateTimeField()
    text = serializers.CharField(allow_null=True, help_text="Null once it is erased.")
    importance = serializers.FloatField()
    is_retracted = serializers.BooleanField()
    is_quarantined = serializers.BooleanField()
    blocked_channels = serializers.ListField(child=serializers.CharField())
    edits_applied = serializers.IntegerField()
    audience = AudienceInput(
        many=True, help_text="Who may read it: a reader is in each of these. Empty: everyone who may read the channel."
    )


class RelationOutput(serializers.Serializer[Any]):
    kind = serializers.ChoiceField(
        Relation.Kind.choices, help_text="The later chunk is an update, a copy or a quote of the earlier one."
    )
    later_id = serializers.UUIDField()
    earlier_id = serializers.UUIDField()
    key = serializers.CharField(allow_null=True)
    recorder = serializers.CharField()
    at = serializers.DateTimeField()


class HistoryOutput(shapes.ScopeOutput):
    chunk_id = serializers.UUIDField()
    event_id = serializers.UUIDField(allow_null=True)
    ts = serializers.DateTimeField()
    recorder = serializers.CharField()
    source = serializers.CharField()  # type: ignore[assignment] # the field shadows Field.source
    session_id = serializers.CharField(allow_null=True)
    channel = serializers.ChoiceField(Channel.choices)
    retention = serializers.ChoiceField(Retention.choices)
    states = StateOutput(many=True)
    edits = EditOutput(many=True)
    relations = RelationOutput(many=True, help_text="What it updates or repeats, and what updates or repeats it.")


_state_json = ColumnDict(ChunkState, "usersets")


def _heard_json(state: ChunkState) -> dict[str, Any]:
    return {**_state_json(state), "audience": [render(one) for one in json.loads(state.usersets)]}


class HistoryView(GovernedView):
    """The record of a chunk, its edits with their verdicts, and its state after each applied edit."""

    @extend_schema(
        operation_id="chunks_history",
        summary="Read the history of a chunk",
        parameters=[OpenApiParameter("chunk_id", uuid.UUID, OpenApiParameter.PATH)],
        responses=HistoryOutput,
    )
    def get(self, request: Request, chunk_id: uuid.UUID) -> Response:
        found = history.history(self.principal, chunk_id)
        chunk = found.chunk
        return Response(
            {
                "chunk_id": chunk.id,
                "event_id": chunk.event_id,
                "ts": chunk.ts,
                "recorder": chunk.recorder,
                "source": chunk.source,
                "session_id": chunk.session_id,
                "channel": chunk.channel,
                "retention": chunk.retention,
                "scope": chunk.scope,
                "subject_type": chunk.subject_type,
                "subject_id": chunk.subject_id,
                "project_id": chunk.project_id,
                "states": [_heard_json(state) for state in found.states],
                "edits": edits_json(found.edits, self.principal),
                "relations": RelationOutput(found.relations, many=True).data,
            }
        )
