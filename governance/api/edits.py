"""Edits over HTTP."""

import uuid
from collections.abc import Mapping
from typing import Any, ClassVar

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from governance import edits
from governance.acting.principals import Principal
from governance.api import shapes
from governance.api.filters import EditFilter
from governance.edits import queries, targets
from governance.http.filters import filtered
from governance.http.idempotency import IdempotentMixin
from governance.http.pagination import SCHEMA_PARAMETERS, PageRequest, envelope, page, page_schema
from governance.http.permissions import MayDecide
from governance.http.views import GovernedView
from governance.inputs import StrictSerializer
from governance.models import Verdict

_EDIT_ID = OpenApiParameter("edit_id", uuid.UUID, OpenApiParameter.PATH)


class EditsView(IdempotentMixin, GovernedView):
    """Propose an edit, or list edits."""

    reads_query = True

    @extend_schema(
        operation_id="edits_create",
        summary="Propose an edit",
        request=shapes.EditInput,
        responses={201: shapes.OutcomeOutput},
        description="Propose an edit. The tenant's policy decides whether it applies at once (`approved`) or waits"
        " for approval (`pending`).",
    )
    def post(self, request: Request) -> Response:
        values = shapes.EditInput.of(request.data)
        return Response(proposed_json(self.principal, values), status.HTTP_201_CREATED)

    @extend_schema(
        operation_id="edits_list",
        summary="List edits",
        parameters=[EditFilter.schema(), *SCHEMA_PARAMETERS],
        responses=page_schema("EditPage", shapes.EditOutput),
        description="List edits, newest first. People with a role get all edits; an agent gets those that it proposed.",
    )
    def get(self, request: Request) -> Response:
        found = filtered(EditFilter, request, queries.visible_edits(self.principal))
        return Response(listed_json(self.principal, found, request))


class EditView(GovernedView):
    """One edit."""

    @extend_schema(operation_id="edits_retrieve", responses=shapes.OneEditOutput)
    def get(self, request: Request, edit_id: uuid.UUID) -> Response:
        edit = queries.visible_edits(self.principal).filter(id=edit_id).first()
        if edit is None:
            raise edits.NoSuchEdit
        queries.log_reading([edit], self.principal)
        state = targets.state_of(edit.target_type, edit.target_id, self.principal)
        return Response({**shapes.edits_json([edit], self.principal)[0], "target_state": state})


class _VerdictView(IdempotentMixin, GovernedView):
    permission_classes = [MayDecide]
    decision: ClassVar[str]
    serializer_class: ClassVar[type[StrictSerializer]]

    def post(self, request: Request, edit_id: uuid.UUID) -> Response:
        values = self.serializer_class.of(request.data)
        seen = values.get("patch_sha256")
        outcome = edits.decide_edit(
            edit_id,
            actor=self.principal,
            decision=self.decision,
            reason=values.get("reason", ""),
            patch_sha256=bytes.fromhex(seen) if seen else None,
            target_state=values.get("target_state"),
            names_reviewed=True,
        )
        return Response(shapes.outcome_json(outcome))


class ApproveView(_VerdictView):
    """Approve an edit. The edit takes effect with the last approval that it needs."""

    decision = Verdict.Decision.APPROVED
    serializer_class = shapes.VerdictInput

    @extend_schema(
        operation_id="edits_approve",
        parameters=[_EDIT_ID],
        request=shapes.VerdictInput,
        responses=shapes.VerdictOutcomeOutput,
    )
    def post(self, request: Request, edit_id: uuid.UUID) -> Response:
        return super().post(request, edit_id)


class RejectView(_VerdictView):
    """Reject an edit, with a reason."""

    decision = Verdict.Decision.REJECTED
    serializer_class = shapes.RejectionInput

    @extend_schema(
        operation_id="edits_reject",
        parameters=[_EDIT_ID],
        request=shapes.RejectionInput,
        responses=shapes.VerdictOutcomeOutput,
    )
    def post(self, request: Request, edit_id: uuid.UUID) -> Response:
        return super().post(request, edit_id)


class RevertView(IdempotentMixin, GovernedView):
    """Propose to cancel an applied edit."""

    @extend_schema(
        operation_id="edits_revert",
        parameters=[_EDIT_ID],
        request=shapes.ReasonInput,
        responses={201: shapes.OutcomeOutput},
    )
    def post(self, request: Request, edit_id: uuid.UUID) -> Response:
        values = shapes.ReasonInput.of(request.data)
        outcome = edits.revert_edit(edit_id, actor=self.principal, reason=values["reason"])
        return Response(shapes.outcome_json(outcome), status.HTTP_201_CREATED)


class WithdrawView(IdempotentMixin, GovernedView):
    """Withdraw a pending edit that you proposed."""

    @extend_schema(
        operation_id="edits_withdraw",
        parameters=[_EDIT_ID],
        request=shapes.OptionalReasonInput,
        responses=shapes.OutcomeOutput,
    )
    def post(self, request: Request, edit_id: uuid.UUID) -> Response:
        values = shapes.OptionalReasonInput.of(request.data)
        outcome = edits.withdraw_edit(edit_id, actor=self.principal, reason=values.get("reason", ""))
        return Response(shapes.outcome_json(outcome))


class PreviewView(IdempotentMixin, GovernedView):
    """Preview an edit without recording it."""

    only_reads = True
    stores_response = False

    @extend_schema(operation_id="edits_preview", request=shapes.PreviewInput, responses=shapes.PreviewOutput)
    def post(self, request: Request) -> Response:
        values = shapes.PreviewInput.of(request.data)
        return Response(previewed_json(self.principal, values))


class BulkView(IdempotentMixin, GovernedView):
    """Propose up to 1,000 edits under one batch id."""

    @extend_schema(
        operation_id="edits_bulk",
        request=shapes.BulkInput,
        responses={201: shapes.BulkOutput},
        description="Either all edits are recorded or none is. With `mode: each`, every edit is handled separately,"
        " and a refused one has a reason.",
    )
    def post(self, request: Request) -> Response:
        values = shapes.BulkInput.of(request.data)
        proposals = [_proposal(values, f"/edits/{index}") for index, values in enumerate(values["edits"])]
        batch = edits.propose_edits(proposals, actor=self.principal, each=values["mode"] == "each")
        return Response(shapes.bulk_json(batch), status.HTTP_201_CREATED)


def listed_json(principal: Principal, found: Any, asked: Request | PageRequest) -> dict[str, Any]:
    """The requested page of the edits `found`, newest first; the access log records the reader."""
    rows, following = page(found, asked, order=("-created_at", "-id"), scope="edits")
    queries.log_reading(rows, principal)
    return envelope(shapes.edits_json(rows, principal), following)


def proposed_json(principal: Principal, values: Mapping[str, Any]) -> dict[str, Any]:
    """Propose the edit that a checked `EditInput` describes, and return its outcome."""
    fields = {**values, "patch": edits.Patch.of(values.get("patch", {}))}
    return shapes.outcome_json(edits.propose_edit(actor=principal, **fields))


def previewed_json(principal: Principal, values: Mapping[str, Any]) -> dict[str, Any]:
    """Preview the edit that a checked `PreviewInput` describes."""
    fields = {**values, "patch": edits.Patch.of(values.get("patch", {}))}
    return shapes.preview_json(edits.preview_edit(actor=principal, **fields))


def _proposal(values: dict[str, Any], pointer: str) -> edits.Proposal:
    return edits.Proposal(
        target_type=values["target_type"],
        target_id=values["target_id"],
        op=values["op"],
        reason=values["reason"],
        patch=edits.Patch.of(values.get("patch", {})),
        pointer=pointer,
    )
