"""Views of tiers: promotion by hand, the promotion log, and the candidates."""

import json
import uuid
from typing import Any

from django.db.models import UUIDField
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from governance import text
from governance.http.filters import Parameter, ParameterFilter
from governance.http.idempotency import IdempotentMixin
from governance.http.pagination import SCHEMA_PARAMETERS, PageRequest, envelope, page_of_rows, page_schema
from governance.http.views import GovernedView
from governance.inputs import ChoiceField, IdField, InstantField, StrictSerializer, TextField
from memory.api.filters import choice
from memory.models import Promotion, Tier
from memory.tiers import manual, queries
from memory.tiers.db import Candidate

_EVIDENCE = (
    "The evidence: sessions, uses, successes, failures, confidence, trust, the relevant times, and the thresholds"
    " at that time."
)
#: The criteria that a candidate may not meet: docs/promotion.md.
CRITERIA = [
    "retracted",
    "quarantined",
    "superseded",
    "expired",
    "low_trust",
    "uses_in_session",
    "sessions",
    "successes",
    "confidence",
    "confidence_days",
    "core",
    "unused_days",
    "by_hand",
]


class PromoteInput(StrictSerializer):
    tier = ChoiceField(Tier.choices, help_text="The new tier: up, down, or out of the archive.")
    reason = TextField(text.REASON)


class PromotionOutput(serializers.Serializer[Any]):
    promotion_id = serializers.UUIDField()
    chunk_id = serializers.UUIDField()
    number = serializers.IntegerField(help_text="The number of this move of the chunk, from 1.")
    kind = serializers.ChoiceField(Promotion.Kind.choices)
    from_tier = serializers.ChoiceField(Tier.choices)
    to_tier = serializers.ChoiceField(Tier.choices)
    reason = serializers.CharField()
    evidence = serializers.DictField(help_text=_EVIDENCE)
    promoter_kind = serializers.CharField()
    promoter = serializers.CharField()
    at = serializers.DateTimeField()


class CandidateOutput(serializers.Serializer[Any]):
    chunk_id = serializers.UUIDField()
    tier = serializers.ChoiceField(Tier.choices)
    wanted_tier = serializers.ChoiceField(Tier.choices, help_text="The tier that it would move to next.")
    would_move = serializers.BooleanField(help_text="Whether the next run of the job moves it.")
    failed = serializers.ChoiceField(
        [(one, one) for one in CRITERIA], allow_null=True, help_text="The criterion that is not met."
    )
    evidence = serializers.DictField(help_text=_EVIDENCE)
    evaluated_at = serializers.DateTimeField()
    due_at = serializers.DateTimeField(
        allow_null=True, help_text="When time alone may change this; null if only use or an edit can."
    )


class PromotionFilter(ParameterFilter):
    """The parameters of the promotion log."""

    chunk_id = Parameter(IdField(required=False))
    from_tier = choice(Tier.choices)
    to_tier = choice(Tier.choices)
    kind = choice(Promotion.Kind.choices)
    since = Parameter(InstantField(required=False, help_text="Only from this time on."))
    until = Parameter(InstantField(required=False, help_text="Only before this time."))


class CandidateFilter(ParameterFilter):
    """The parameters of the candidates."""

    chunk_id = Parameter(IdField(required=False))
    tier = choice(Tier.choices)
    would_move = choice(
        [("true", "true"), ("false", "false")], help_text="Only memory that the next run moves, or only the rest."
    )


def promotion_json(one: Promotion) -> dict[str, Any]:
    """A move as JSON."""
    names = ("chunk_id", "number", "kind", "from_tier", "to_tier", "reason", "evidence", "promoter_kind", "promoter")
    return {"promotion_id": one.id, **{name: getattr(one, name) for name in names}, "at": one.at}


def candidate_json(one: Candidate) -> dict[str, Any]:
    """A candidate as JSON."""
    return {
        "chunk_id": one.chunk_id,
        "tier": one.tier,
        "wanted_tier": one.wanted_tier,
        "would_move": one.failed is None,
        "failed": one.failed,
        "evidence": json.loads(one.evidence or "{}"),
        "evaluated_at": one.at,
        "due_at": one.due_at,
    }


class PromoteView(IdempotentMixin, GovernedView):
    """Move a memory to another tier by hand."""

    @extend_schema(
        operation_id="chunk_promote",
        parameters=[OpenApiParameter("chunk_id", uuid.UUID, OpenApiParameter.PATH)],
        request=PromoteInput,
        responses={201: PromotionOutput},
        description="For reviewers, admins, and the agents in the policy's `promoting_agents`. A move out of the"
        " archive restores the memory. The time without use restarts. 409: it is already in that tier, or governance"
        " keeps it where it is.",
    )
    def post(self, request: Request, chunk_id: uuid.UUID) -> Response:
        values = PromoteInput.of(request.data)
        moved = manual.promote(chunk_id, actor=self.principal, **values)
        return Response(promotion_json(moved), status.HTTP_201_CREATED)


class PromotionsView(GovernedView):
    """The promotion log."""

    reads_query = True

    @extend_schema(
        operation_id="promotions_list",
        parameters=[PromotionFilter.schema(), *SCHEMA_PARAMETERS],
        responses=page_schema("PromotionPage", PromotionOutput),
        description="Every move of memory from one tier to another, newest first, with the evidence.",
    )
    def get(self, request: Request) -> Response:
        filters = PromotionFilter.read(request).values

        def fetch(before: tuple[uuid.UUID] | None, limit: int) -> list[dict[str, Any]]:
            last = before[0] if before else None
            return [
                promotion_json(one) for one in queries.promotions(self.principal, filters, before=last, limit=limit)
            ]

        found, following = page_of_rows(
            fetch, request, key=("promotion_id",), scope="promotions", fields=(UUIDField(),)
        )
        return Response(envelope(found, following))


class CandidatesView(GovernedView):
    """What would move to another tier, what would not, and why."""

    reads_query = True

    @extend_schema(
        operation_id="promotions_candidates",
        parameters=[CandidateFilter.schema(), *SCHEMA_PARAMETERS],
        responses=page_schema("CandidatePage", CandidateOutput),
        description="Memory that was used or moved: the tier that it would move to next, and the criterion that is not"
        " met. Rows that are due are evaluated now; the others show their last evaluation. A page may have fewer"
        " results than `limit` although there are more: `next` is then set.",
    )
    def get(self, request: Request) -> Response:
        filters = CandidateFilter.read(request).values
        filters["would_move"] = {"true": True, "false": False}.get(filters["would_move"] or "")
        asked = PageRequest.of(request)
        signer = asked.signer("candidates", ("-chunk_id",))
        beyond = asked.read(signer, [UUIDField()])
        found, last = queries.candidates(
            self.principal, filters, before=beyond[0] if beyond else None, limit=asked.limit
        )
        following = signer.sign_object([str(last)]) if last else None
        return Response(envelope([candidate_json(one) for one in found], following))
