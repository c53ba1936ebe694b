"""Edits over HTTP."""

import uuid
from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from governance import gate
from governance.http.idempotency import IdempotentMixin
from governance.http.pagination import PAGE_PARAMETERS, SCHEMA_PARAMETERS, envelope, page, page_schema
from governance.http.permissions import MayDecide
from governance.http.serializers import StrictSerializer, TextField
from governance.http.views import GovernedView
from governance.models import Channel, Edit, EditState, Verdict
from governance.principals import Principal
from governance.services import edits

MAX_TEXT = 1_000_000
MAX_REASON = 2_000


class PatchInput(StrictSerializer):
    text = TextField(max_length=MAX_TEXT, required=False)
    importance = serializers.DecimalField(5, 4, min_value=0, max_value=1, required=False)
    importance_delta = serializers.DecimalField(5, 4, min_value=-1, max_value=1, required=False)
    channel = serializers.ChoiceField(Channel.choices, required=False)
    edit_id = serializers.UUIDField(required=False, help_text="revert: the edit to cancel")


class EditInput(StrictSerializer):
    target_type = serializers.ChoiceField(Edit.TargetType.choices)
    target_id = serializers.UUIDField()
    op = serializers.ChoiceField(Edit.Op.choices)
    reason = TextField(max_length=MAX_REASON)
    patch = PatchInput(required=False)


class OutcomeOutput(serializers.Serializer[Any]):
    edit_id = serializers.UUIDField()
    status = serializers.ChoiceField(EditState.Status.choices)
    applied_at = serializers.DateTimeField(required=False)
    approvals = serializers.IntegerField()
    approvals_required = serializers.IntegerField()


class VerdictOutput(serializers.Serializer[Any]):
    decision = serializers.ChoiceField(Verdict.Decision.choices)
    decider_kind = serializers.ChoiceField(Verdict.DeciderKind.choices)
    decider = serializers.CharField()
    decided_at = serializers.DateTimeField()
    reason = serializers.CharField()


class EditOutput(serializers.Serializer[Any]):
    edit_id = serializers.UUIDField()
    ts = serializers.DateTimeField()
    target_type = serializers.ChoiceField(Edit.TargetType.choices)
    target_id = serializers.UUIDField()
    op = serializers.ChoiceField(Edit.Op.choices)
    reason = serializers.CharField()
    proposed_by = serializers.ChoiceField(Edit.ProposerKind.choices)
    proposer = serializers.CharField()
    approved_by = serializers.CharField(allow_null=True)
    status = serializers.ChoiceField(EditState.Status.choices)
    patch = PatchInput()
    patch_sha256 = serializers.CharField()
    policy = serializers.CharField()
    approvals = serializers.IntegerField()
    approvals_required = serializers.IntegerField()
    applied_at = serializers.DateTimeField(allow_null=True)
    verdicts = VerdictOutput(many=True)


class VerdictInput(StrictSerializer):
    reason = TextField(max_length=MAX_REASON, required=False, allow_blank=True)
    patch_sha256 = serializers.RegexField(
        r"^[0-9a-f]{64}$", required=False, help_text="The patch that was reviewed; a changed one is refused."
    )


class RejectionInput(VerdictInput):
    reason = TextField(max_length=MAX_REASON)


class EditFilter(StrictSerializer):
    also_accepted = PAGE_PARAMETERS

    status = serializers.ChoiceField(EditState.Status.choices, required=False)
    target_type = serializers.ChoiceField(Edit.TargetType.choices, required=False)
    target_id = serializers.UUIDField(required=False)
    op = serializers.ChoiceField(Edit.Op.choices, required=False)
    proposed_by = serializers.ChoiceField(Edit.ProposerKind.choices, required=False)


def outcome_json(outcome: edits.Outcome) -> dict[str, Any]:
    """An outcome as the API answers it; `applied_at` only once it is."""
    answer = {
        "edit_id": outcome.edit_id,
        "status": outcome.status,
        "approvals": outcome.approvals,
        "approvals_required": outcome.approvals_required,
    }
    return answer if outcome.applied_at is None else {**answer, "applied_at": outcome.applied_at}


def _visible_edits(principal: Principal) -> Any:
    """People with a role see every edit of the tenant, an agent its own proposals."""
    rows = Edit.objects.filter(tenant_id=principal.tenant_id).select_related("state").prefetch_related("verdicts")
    return rows if principal.reads_all_edits else rows.filter(proposed_by=principal.id)


def _edits_json(rows: list[Edit], principal: Principal) -> list[dict[str, Any]]:
    ids = [row.id for row in rows if row.content_id]
    texts = (
        {row["edit_id"]: row["body"] for row in gate.call("get_edit_texts", principal.tenant_id, ids)} if ids else {}
    )
    return [_edit_json(row, texts.get(row.id)) for row in rows]


def _edit_json(edit: Edit, text: str | None) -> dict[str, Any]:
    patch: dict[str, Any] = {
        "text": text,
        "importance": None if edit.importance is None else float(edit.importance),
        "importance_delta": None if edit.importance_delta is None else float(edit.importance_delta),
        "channel": edit.channel,
        "edit_id": edit.reverts_id,
    }
    return {
        "edit_id": edit.id,
        "ts": edit.created_at,
        "target_type": edit.target_type,
        "target_id": edit.target_id,
        "op": edit.op,
        "reason": edit.reason,
        "proposed_by": edit.proposer_kind,
        "proposer": edit.proposer,
        "approved_by": edit.state.approved_by,
        "status": edit.state.status,
        "patch": {name: value for name, value in patch.items() if value is not None},
        "patch_sha256": bytes(edit.patch_sha256).hex(),
        "policy": edit.policy,
        "approvals": edit.state.approvals,
        "approvals_required": edit.approvals_required,
        "applied_at": edit.state.applied_at,
        "verdicts": [
            {
                "decision": verdict.decision,
                "decider_kind": verdict.decider_kind,
                "decider": verdict.decider,
                "decided_at": verdict.decided_at,
                "reason": verdict.reason,
            }
            for verdict in sorted(edit.verdicts.all(), key=lambda verdict: verdict.decided_at)
        ],
    }


class EditsView(IdempotentMixin, GovernedView):
    """Propose an edit, or list edits."""

    @extend_schema(
        operation_id="edits_create",
        request=EditInput,
        responses={201: OutcomeOutput},
        description="Propose an edit. Under the tenant's policy it applies at once (`approved`) or waits (`pending`).",
    )
    def post(self, request: Request) -> Response:
        body = EditInput(data=request.data)
        body.is_valid(raise_exception=True)
        values = dict(body.validated_data)
        patch = edits.Patch(**values.pop("patch", {}))
        outcome = edits.propose_edit(actor=self.principal, patch=patch, **values)
        return Response(outcome_json(outcome), status.HTTP_201_CREATED)

    @extend_schema(
        operation_id="edits_list",
        parameters=[EditFilter, *SCHEMA_PARAMETERS],
        responses=page_schema("EditPage", EditOutput),
        description="Edits, newest first: all for people with a role, an agent's own for an agent.",
    )
    def get(self, request: Request) -> Response:
        given = EditFilter(data=request.query_params.dict())
        given.is_valid(raise_exception=True)
        names = {"status": "state__status", "proposed_by": "proposer_kind"}
        filters = {names.get(name, name): value for name, value in given.validated_data.items()}
        rows, following = page(
            _visible_edits(self.principal).filter(**filters),
            request,
            order=("-created_at", "-id"),
            scope="edits",
        )
        return Response(envelope(_edits_json(rows, self.principal), following))


class EditView(GovernedView):
    """One edit."""

    @extend_schema(operation_id="edits_retrieve", responses=EditOutput)
    def get(self, request: Request, edit_id: uuid.UUID) -> Response:
        edit = _visible_edits(self.principal).filter(id=edit_id).first()
        if edit is None:
            raise edits.NoSuchEdit
        return Response(_edits_json([edit], self.principal)[0])


class _VerdictView(IdempotentMixin, GovernedView):
    permission_classes = [MayDecide]
    decision: str
    serializer_class: type[StrictSerializer]

    def post(self, request: Request, edit_id: uuid.UUID) -> Response:
        body = self.serializer_class(data=request.data)
        body.is_valid(raise_exception=True)
        values = body.validated_data
        seen = values.get("patch_sha256")
        outcome = edits.decide_edit(
            edit_id,
            actor=self.principal,
            decision=self.decision,
            reason=values.get("reason", ""),
            patch_sha256=bytes.fromhex(seen) if seen else None,
        )
        return Response(outcome_json(outcome))


_EDIT_ID = OpenApiParameter("edit_id", uuid.UUID, OpenApiParameter.PATH)


class ApproveView(_VerdictView):
    """Approve an edit; with the last approval that it needs, it takes effect."""

    decision = Verdict.Decision.APPROVED
    serializer_class = VerdictInput

    @extend_schema(operation_id="edits_approve", parameters=[_EDIT_ID], request=VerdictInput, responses=OutcomeOutput)
    def post(self, request: Request, edit_id: uuid.UUID) -> Response:
        return super().post(request, edit_id)


class RejectView(_VerdictView):
    """Reject an edit, saying why."""

    decision = Verdict.Decision.REJECTED
    serializer_class = RejectionInput

    @extend_schema(operation_id="edits_reject", parameters=[_EDIT_ID], request=RejectionInput, responses=OutcomeOutput)
    def post(self, request: Request, edit_id: uuid.UUID) -> Response:
        return super().post(request, edit_id)
