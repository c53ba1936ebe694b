"""The views of capsules."""

import dataclasses
import uuid
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from capsules import queries
from capsules.api import shapes
from capsules.api.filters import CapsuleFilter, WarningFilter
from capsules.models import EffectiveCapsule
from capsules.services import handover
from governance.acting.principals import Principal
from governance.http.idempotency import IdempotentMixin
from governance.http.pagination import SCHEMA_PARAMETERS, PageRequest, envelope, page_of_rows, page_schema
from governance.http.views import GovernedView
from memory.api.filters import OnlyAudience, only_audience_of, without_audience


def created_json(principal: Principal, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Create the capsule in a validated `CapsuleInput` and return its id."""
    values = dict(asked)
    audience = values.pop("audience_agent_ids")
    return _new_capsule_json(handover.create_capsule(actor=principal, audience=audience, **values))


def forwarded_json(principal: Principal, capsule_id: uuid.UUID, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Forward a capsule as in a validated `ForwardInput` and return the id of the new one."""
    values = dict(asked)
    audience = values.pop("audience_agent_ids")
    return _new_capsule_json(handover.forward_capsule(capsule_id, actor=principal, audience=audience, **values))


def _new_capsule_json(made: handover.NewCapsule) -> dict[str, Any]:
    return {**dataclasses.asdict(made), "status": EffectiveCapsule.Status.ACTIVE}


def listed_json(
    asked: PageRequest, filters: Mapping[str, Any], *, channel: str | None = None, include_quarantined: bool = False
) -> dict[str, Any]:
    """The requested page of capsules; `filters` are those of `CapsuleFilter`, including `authored` for the caller's own
    capsules."""

    def fetch(before: tuple[datetime, uuid.UUID] | None, limit: int) -> list[dict[str, Any]]:
        beyond = before[1] if before else None
        if filters["authored"]:
            return queries.authored(asked.principal, filters=filters, before=beyond, limit=limit, channel=channel)
        return queries.available(
            asked.principal,
            filters=filters,
            before=beyond,
            limit=limit,
            channel=channel,
            include_quarantined=include_quarantined,
        )

    return envelope(*page_of_rows(fetch, asked, key=("created_at", "capsule_id"), scope="capsules"))


class CapsulesView(IdempotentMixin, GovernedView):
    """Create a capsule, or list capsules."""

    reads_query = True

    @extend_schema(
        operation_id="capsules_create",
        summary="Create a capsule",
        request=shapes.CapsuleInput,
        responses={201: shapes.NewCapsuleOutput},
    )
    def post(self, request: Request) -> Response:
        values = shapes.CapsuleInput.of(request.data)
        return Response(created_json(self.principal, values), status.HTTP_201_CREATED)

    @extend_schema(
        operation_id="capsules_list",
        summary="List capsules",
        parameters=[CapsuleFilter.schema(), *SCHEMA_PARAMETERS],
        responses=page_schema("CapsulePage", shapes.ListedCapsuleOutput),
        description="The capsules that you received and may still read, newest first; people with a role get all "
        "capsules of the tenant. With `authored`: your own capsules in every status.",
    )
    def get(self, request: Request) -> Response:
        values, heard = without_audience(CapsuleFilter.read(request).values)
        return Response(listed_json(PageRequest.of(request), values, **heard))


class CapsuleView(GovernedView):
    """One capsule."""

    reads_query = True

    @extend_schema(
        operation_id="capsules_retrieve",
        summary="Read a capsule",
        parameters=[OnlyAudience.schema()],
        responses=shapes.CapsuleOutput,
        description="The capsule with its items as you may see them now. Returns 403 if you are not in its audience,"
        " and after its expiry or revocation.",
    )
    def get(self, request: Request, capsule_id: uuid.UUID) -> Response:
        return Response(queries.read(self.principal, capsule_id, **only_audience_of(request)))

    @extend_schema(
        operation_id="capsules_revoke",
        summary="Revoke a capsule",
        responses={200: shapes.RevokedOutput},
        description="Revoke the capsule and everything forwarded from it. Allowed for its author and admins.",
    )
    def delete(self, request: Request, capsule_id: uuid.UUID) -> Response:
        revoked = handover.revoke_capsule(capsule_id, actor=self.principal)
        return Response(
            {
                "capsule_id": revoked.capsule_id,
                "status": EffectiveCapsule.Status.REVOKED,
                "revoked_at": revoked.revoked_at,
                "forwarded_revoked": revoked.forwarded,
            }
        )


class ForwardView(IdempotentMixin, GovernedView):
    """Forward a capsule, with all or some of its items."""

    @extend_schema(
        operation_id="capsules_forward", request=shapes.ForwardInput, responses={201: shapes.NewCapsuleOutput}
    )
    def post(self, request: Request, capsule_id: uuid.UUID) -> Response:
        values = shapes.ForwardInput.of(request.data)
        return Response(forwarded_json(self.principal, capsule_id, values), status.HTTP_201_CREATED)


class UsageView(GovernedView):
    """How often a capsule was read, and by whom."""

    @extend_schema(operation_id="capsules_usage", responses=shapes.UsageOutput)
    def get(self, request: Request, capsule_id: uuid.UUID) -> Response:
        return Response(queries.usage(self.principal, capsule_id))


class WarningsView(GovernedView):
    """Your own capsules that expire soon."""

    reads_query = True

    @extend_schema(
        operation_id="capsules_warnings",
        parameters=SCHEMA_PARAMETERS,
        responses=page_schema("CapsuleWarningPage", shapes.WarningOutput),
    )
    def get(self, request: Request) -> Response:
        WarningFilter.read(request)

        def fetch(before: tuple[datetime, uuid.UUID] | None, limit: int) -> list[dict[str, Any]]:
            return queries.warnings(self.principal, before=before[1] if before else None, limit=limit)

        found, following = page_of_rows(fetch, request, key=("created_at", "capsule_id"), scope="capsule-warnings")
        return Response(envelope(found, following))
