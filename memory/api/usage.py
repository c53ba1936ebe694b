"""The usage of a chunk over HTTP: outcomes and confidence."""

import uuid
from typing import Any

from django.db.models import IntegerField
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from governance import text
from governance.acting.principals import Principal
from governance.http.filters import ParameterFilter
from governance.http.idempotency import IdempotentMixin
from governance.http.pagination import SCHEMA_PARAMETERS, page_of_rows
from governance.http.views import GovernedView
from governance.inputs import ChoiceField, DecimalField, StrictSerializer, TextField
from memory.api import shapes
from memory.event_content import id_field
from memory.models import ConfidenceChange, Outcome
from memory.usage import confidence, outcomes

_CHUNK_ID = OpenApiParameter("chunk_id", uuid.UUID, OpenApiParameter.PATH)


class OutcomeInput(StrictSerializer):
    outcome = ChoiceField(Outcome.Result.choices, help_text="Whether using it helped or misled.")
    session_id = id_field(
        required=False, help_text="The session in which it was used. Default: the header X-Session-Id."
    )
    note = TextField(text.REMARK, required=False, default="", help_text="The result, in a sentence.")


class ReportedOutcome(serializers.Serializer[Any]):
    chunk_id = serializers.UUIDField()
    outcome = serializers.ChoiceField(Outcome.Result.choices)
    session_id = serializers.CharField()
    confidence = serializers.FloatField(help_text="The current confidence in the memory, from 0 to 1.")
    recorded = serializers.BooleanField(help_text="True: the outcome is recorded.")
    status = serializers.ChoiceField(
        shapes.RECORDED,
        help_text="already_recorded: you had already reported it in this session; it was not counted again.",
    )
    at = serializers.DateTimeField(help_text="When it was recorded.")


def outcome_json(principal: Principal, chunk_id: uuid.UUID, values: dict[str, Any]) -> dict[str, Any]:
    """Record the outcome in a validated `OutcomeInput`, and return what is recorded."""
    made = outcomes.record_outcome(
        chunk_id,
        values["outcome"],
        actor=principal,
        session_id=values.get("session_id"),
        note=values.get("note", ""),
    )
    return {
        "chunk_id": made.chunk_id,
        "outcome": made.outcome,
        "session_id": made.session_id,
        "confidence": float(made.confidence),
        "recorded": True,
        "status": "already_recorded" if made.is_repeated else "recorded",
        "at": made.at,
    }


class OutcomeView(IdempotentMixin, GovernedView):
    """Report the outcome of using a chunk."""

    @extend_schema(
        operation_id="chunks_outcome",
        parameters=[_CHUNK_ID],
        request=OutcomeInput,
        responses={201: ReportedOutcome, 200: ReportedOutcome},
        description="A success or failure; each counts once per agent and session. It changes the confidence in the"
        " memory (docs/promotion.md). 200: you had already reported it.",
    )
    def post(self, request: Request, chunk_id: uuid.UUID) -> Response:
        values = OutcomeInput.of(request.data)
        answer = outcome_json(self.principal, chunk_id, values)
        is_new = answer["status"] == "recorded"
        return Response(answer, status.HTTP_201_CREATED if is_new else status.HTTP_200_OK)


class ConfidenceInput(StrictSerializer):
    confidence = DecimalField(5, 4, min_value=0, max_value=1)
    reason = TextField(text.REASON)


class SetConfidenceOutput(serializers.Serializer[Any]):
    chunk_id = serializers.UUIDField()
    before = serializers.FloatField()
    confidence = serializers.FloatField()
    at = serializers.DateTimeField()


class ConfidenceChangeOutput(serializers.Serializer[Any]):
    number = serializers.IntegerField(help_text="The number of this change of the chunk, from 1.")
    kind = serializers.ChoiceField(ConfidenceChange.Kind.choices)
    before = serializers.FloatField()
    after = serializers.FloatField()
    outcome = serializers.ChoiceField(Outcome.Result.choices, allow_null=True)
    session_id = serializers.CharField(
        allow_null=True, help_text="The session of an outcome; shown to its reporter and to people."
    )
    reason = serializers.CharField(
        allow_null=True, help_text="The reason, or the note of the outcome; shown to its author and to people."
    )
    changed_by_kind = serializers.CharField()
    changed_by = serializers.CharField(help_text="Who reported the outcome or made the change.")
    at = serializers.DateTimeField()


class ConfidenceOutput(serializers.Serializer[Any]):
    chunk_id = serializers.UUIDField()
    confidence = serializers.FloatField(help_text="From 0 to 1; 0.5 until something changes it.")
    trust = serializers.FloatField(help_text="The lowest confidence in it and in its sources.")
    successes = serializers.IntegerField()
    failures = serializers.IntegerField()
    access_count = serializers.IntegerField(
        help_text="How often it was delivered to agents. A job updates it within seconds."
    )
    last_accessed = serializers.DateTimeField(allow_null=True)
    sessions = serializers.IntegerField(help_text="The number of sessions in which it was delivered to agents.")
    history = ConfidenceChangeOutput(many=True, help_text="Its changes, newest first.")
    next = serializers.CharField(allow_null=True, help_text="The cursor of the next page of the history.")


class ConfidenceFilter(ParameterFilter):
    """Only the page of the history."""


class ConfidenceView(IdempotentMixin, GovernedView):
    """The confidence in a chunk, and its history."""

    reads_query = True

    @extend_schema(
        operation_id="chunks_confidence",
        summary="Read the confidence in a chunk",
        parameters=[_CHUNK_ID, *SCHEMA_PARAMETERS],
        responses=ConfidenceOutput,
        description="The confidence in a chunk that you may see, its usage, and its changes.",
    )
    def get(self, request: Request, chunk_id: uuid.UUID) -> Response:
        ConfidenceFilter.read(request)
        use = confidence.find_use(self.principal, chunk_id)

        def fetch(before: tuple[int] | None, limit: int) -> list[dict[str, Any]]:
            return confidence.changes_of(self.principal, chunk_id, before=before[0] if before else None, limit=limit)

        history, following = page_of_rows(
            fetch, request, key=("number",), scope=f"confidence {chunk_id}", fields=[IntegerField()]
        )
        return Response(
            {
                "chunk_id": chunk_id,
                "confidence": float(use.confidence),
                "trust": float(use.trust),
                "successes": use.successes,
                "failures": use.failures,
                "access_count": use.access_count,
                "last_accessed": use.last_accessed,
                "sessions": use.sessions,
                "history": history,
                "next": following,
            }
        )

    @extend_schema(
        operation_id="chunks_set_confidence",
        summary="Set the confidence in a chunk",
        parameters=[_CHUNK_ID],
        request=ConfidenceInput,
        responses=SetConfidenceOutput,
        description="Set the confidence in a chunk by hand: for reviewers and admins.",
    )
    def post(self, request: Request, chunk_id: uuid.UUID) -> Response:
        values = ConfidenceInput.of(request.data)
        made = confidence.set_confidence(chunk_id, values["confidence"], actor=self.principal, reason=values["reason"])
        return Response(
            {
                "chunk_id": made.chunk_id,
                "before": float(made.before),
                "confidence": float(made.confidence),
                "at": made.at,
            }
        )
