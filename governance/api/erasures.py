"""Lawful erasure over HTTP."""

import uuid
from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from governance import text
from governance.api.shapes import OptionalReasonInput, ReasonInput
from governance.erasure import erasures, keepers
from governance.faults import Faults
from governance.http.filters import Parameter, ParameterFilter, filtered
from governance.http.idempotency import IdempotentMixin
from governance.http.pagination import SCHEMA_PARAMETERS, envelope, page, page_schema
from governance.http.views import GovernedView
from governance.inputs import BooleanField, ChoiceField, IdField, StrictSerializer, TextField
from governance.models import Erasure, ErasureState

#: The maximum number of records in an answer. The counts include all, and the ledger's redaction entries name every
#: content row.
LISTED = 10_000

#: The fields for each value of `by`.
_TAKES = {
    "chunk": {"id"},
    "event": {"id"},
    "subject": {"subject_type", "subject_id"},
    "agent": {"agent"},
    "value": {"id"},
}

_ERASURE_ID = OpenApiParameter("erasure_id", uuid.UUID, OpenApiParameter.PATH)


class ErasureInput(StrictSerializer):
    by = ChoiceField(Erasure.By.choices)
    id = IdField(
        required=False,
        help_text="Id of the chunk, the event or the value. Erasing a chunk includes its whole memory. Erasing a value,"
        " which must be forgotten, deletes every text that says it, and keeps the rest of the text.",
    )
    subject_type = TextField(text.IDENTIFIER, required=False)
    subject_id = TextField(text.IDENTIFIER, required=False)
    agent = TextField(text.NAME, required=False, help_text="Name of the agent.")
    reason = TextField(text.REASON)
    dry_run = BooleanField(default=False, help_text="List what would be erased, without proposing the erasure.")

    def check(self, values: dict[str, Any], pointer: str, faults: Faults) -> None:
        """Check the fields for the value of `by`."""
        takes = _TAKES[values["by"]]
        for name in ("id", "subject_type", "subject_id", "agent"):
            if name in takes and name not in values:
                faults.add(f"{pointer}/{name}", f"This field is required to erase by {values['by']}.")
            elif name in values and name not in takes:
                faults.add(f"{pointer}/{name}", f"An erasure by {values['by']} does not accept this field.")


class ErasureFilter(ParameterFilter):
    """The parameters of the list of erasures."""

    status = Parameter(ChoiceField(ErasureState.Status.choices, required=False), field_name="state__status")
    by = Parameter(ChoiceField(Erasure.By.choices, required=False), field_name="named_by")


class ContentOutput(serializers.Serializer[Any]):
    content_id = serializers.UUIDField()
    sha256 = serializers.CharField(
        help_text="SHA-256 of the salt and the text. Both are deleted, so nobody can test guesses against the hash."
    )


class RecordOutput(serializers.Serializer[Any]):
    kind = serializers.CharField()
    id = serializers.UUIDField()
    contents = ContentOutput(many=True)
    target_type = serializers.CharField(required=False, help_text="For an edit: its target.")
    target_id = serializers.UUIDField(required=False)


class RefusedOutput(serializers.Serializer[Any]):
    kind = serializers.CharField()
    id = serializers.UUIDField()
    reason = serializers.CharField()


class ScopeOutput(serializers.Serializer[Any]):
    counts = serializers.DictField(
        child=serializers.IntegerField(), help_text="Number of records of each kind; `content` is the number of texts."
    )
    records = RecordOutput(many=True)
    is_complete = serializers.BooleanField(help_text=f"False if only the first {LISTED} records are listed.")
    refused = RefusedOutput(many=True, help_text="Records that prevent proposing and approving the erasure.")

    def get_fields(self) -> dict[str, Any]:
        """The fields above, and a list for each kind of records that may repeat erased text."""
        repeating = {
            one.field: serializers.ListField(child=serializers.UUIDField(), help_text=one.help_text)
            for one in keepers.repeating()
        }
        return {**super().get_fields(), **repeating}


class ErasureOutput(serializers.Serializer[Any]):
    erasure_id = serializers.UUIDField()
    by = serializers.ChoiceField(Erasure.By.choices)
    target_id = serializers.UUIDField(allow_null=True, help_text="Id of the chunk, the event, the agent or the value.")
    subject_type = serializers.CharField(allow_null=True)
    subject_id = serializers.CharField(allow_null=True)
    reason = serializers.CharField()
    proposer = serializers.CharField()
    created_at = serializers.DateTimeField()
    status = serializers.ChoiceField(ErasureState.Status.choices)
    decider = serializers.CharField(allow_null=True)
    decided_at = serializers.DateTimeField(allow_null=True)
    decision_reason = serializers.CharField()


class ReceiptOutput(ErasureOutput):
    scope = ScopeOutput(
        allow_null=True,
        help_text="What was erased or, while the erasure is pending, what would be erased. null if nothing was erased.",
    )


class DryRunOutput(serializers.Serializer[Any]):
    dry_run = serializers.BooleanField()
    scope = ScopeOutput()


def _erasure_json(erasure: Erasure) -> dict[str, Any]:
    state = erasure.state
    return {
        "erasure_id": erasure.id,
        "by": erasure.named_by,
        "target_id": erasure.target_id,
        "subject_type": erasure.subject_type,
        "subject_id": erasure.subject_id,
        "reason": erasure.reason,
        "proposer": erasure.proposer,
        "created_at": erasure.created_at,
        "status": state.status,
        "decider": state.decider,
        "decided_at": state.decided_at,
        "decision_reason": state.decision_reason,
    }


def _record_json(record: erasures.Record) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "kind": record.kind,
        "id": record.id,
        "contents": [{"content_id": content_id, "sha256": digest.hex()} for content_id, digest in record.contents],
    }
    if record.target_type is not None:
        shown |= {"target_type": record.target_type, "target_id": record.target_id}
    return shown


def _scope_json(scope: erasures.Scope) -> dict[str, Any]:
    return {
        "counts": scope.counts,
        "records": [_record_json(record) for record in scope.records[:LISTED]],
        "is_complete": len(scope.records) <= LISTED,
        "refused": [
            {"kind": record.kind, "id": record.id, "reason": "Its retention is committed, so it cannot be erased."}
            for record in scope.committed[:LISTED]
        ],
        **{one.field: scope.repeating.get(one.field, [])[:LISTED] for one in keepers.repeating()},
    }


class ErasuresView(IdempotentMixin, GovernedView):
    """Propose an erasure, or list erasures."""

    reads_query = True

    @extend_schema(
        operation_id="erasures_create",
        summary="Propose an erasure",
        request=ErasureInput,
        responses={200: DryRunOutput, 201: ErasureOutput},
        description="Propose the deletion of text, as an admin; a second admin must approve it. With `dry_run`, the"
        " answer lists what would be deleted, and nothing is proposed.",
    )
    def post(self, request: Request) -> Response:
        values = ErasureInput.of(request.data)
        if values["by"] == Erasure.By.AGENT:
            selection = erasures.all_of_agent(values["agent"], principal=self.principal)
        else:
            selection = erasures.Selection(
                values["by"], values.get("id"), values.get("subject_type"), values.get("subject_id")
            )
        if values["dry_run"]:
            self.stores_response = False  # a retry computes the answer again
            scope = erasures.scope_of(selection, principal=self.principal)
            return Response({"dry_run": True, "scope": _scope_json(scope)})
        erasure = erasures.propose_erasure(selection, actor=self.principal, reason=values["reason"])
        return Response(_erasure_json(erasure), status.HTTP_201_CREATED)

    @extend_schema(
        operation_id="erasures_list",
        summary="List erasures",
        parameters=[ErasureFilter.schema(), *SCHEMA_PARAMETERS],
        responses=page_schema("ErasurePage", ErasureOutput),
        description="List erasures, newest first. Only reviewers, auditors and admins can read them.",
    )
    def get(self, request: Request) -> Response:
        rows, following = page(
            filtered(ErasureFilter, request, erasures.erasures(self.principal)),
            request,
            order=("-created_at", "-id"),
            scope="erasures",
        )
        return Response(envelope([_erasure_json(erasure) for erasure in rows], following))


class ErasureView(GovernedView):
    """One erasure: its receipt or, while it is pending, what it would erase."""

    @extend_schema(operation_id="erasures_retrieve", parameters=[_ERASURE_ID], responses=ReceiptOutput)
    def get(self, request: Request, erasure_id: uuid.UUID) -> Response:
        erasure = erasures.find_erasure(erasure_id, self.principal)
        scope = None
        if erasure.state.status == ErasureState.Status.PENDING:
            scope = _scope_json(erasures.pending_scope(erasure, self.principal))
        elif erasure.state.status == ErasureState.Status.EXECUTED:
            scope = _scope_json(erasures.executed_scope(erasure, self.principal))
        return Response({**_erasure_json(erasure), "scope": scope})


class ApproveView(IdempotentMixin, GovernedView):
    """Approve another admin's erasure, which executes it."""

    @extend_schema(
        operation_id="erasures_approve",
        parameters=[_ERASURE_ID],
        request=OptionalReasonInput,
        responses=ErasureOutput,
        description="Deletes the texts that the erasure names, at once and permanently.",
    )
    def post(self, request: Request, erasure_id: uuid.UUID) -> Response:
        values = OptionalReasonInput.of(request.data)
        reason = values.get("reason", "")
        return Response(_erasure_json(erasures.approve_erasure(erasure_id, actor=self.principal, reason=reason)))


class RejectView(IdempotentMixin, GovernedView):
    """Reject another admin's erasure, with a reason."""

    @extend_schema(
        operation_id="erasures_reject", parameters=[_ERASURE_ID], request=ReasonInput, responses=ErasureOutput
    )
    def post(self, request: Request, erasure_id: uuid.UUID) -> Response:
        values = ReasonInput.of(request.data)
        reason = values["reason"]
        return Response(_erasure_json(erasures.reject_erasure(erasure_id, actor=self.principal, reason=reason)))


class WithdrawView(IdempotentMixin, GovernedView):
    """Withdraw an erasure that you proposed."""

    @extend_schema(
        operation_id="erasures_withdraw",
        parameters=[_ERASURE_ID],
        request=OptionalReasonInput,
        responses=ErasureOutput,
    )
    def post(self, request: Request, erasure_id: uuid.UUID) -> Response:
        values = OptionalReasonInput.of(request.data)
        reason = values.get("reason", "")
        return Response(_erasure_json(erasures.withdraw_erasure(erasure_id, actor=self.principal, reason=reason)))
