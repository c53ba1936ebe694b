"""The approval policy over HTTP."""

import uuid
from typing import Any, ClassVar

from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_view
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from governance import text
from governance.edits import policies, promotion_rules
from governance.http.idempotency import IdempotentMixin
from governance.http.views import GovernedView
from governance.inputs import CharField, ChoiceField, FloatField, IntegerField, ListField, StrictSerializer, TextField
from governance.models import Edit, PolicyChange, PolicyChangeState, Sensitivity, Tenant
from governance.models.policies import OPS

PRESETS = [(name, name) for name in policies.PRESETS]


class RuleInput(StrictSerializer):
    op = ChoiceField(
        [(op, op) for op in OPS],
        help_text="Three rules for agents are not operations. `decide`: an agent's own decision of scope policy or"
        " global; if it needs approvals, it is quarantined until then. `own`: the retract of what the agent alone"
        " recorded and nobody else received. `protected`: an edit of what a person recorded or decided on, or others"
        " depend on.",
    )
    proposer_kind = ChoiceField(Edit.ProposerKind.choices)
    sensitivity = ChoiceField(
        Sensitivity.choices, required=False, allow_null=True, help_text="Sensitivity of the target; null means any."
    )
    approvals = IntegerField(min_value=0, max_value=2)


class PromotionInput(StrictSerializer):
    """Thresholds of promotion."""

    promoting_agents = ListField(
        child=CharField(max_length=50),
        required=False,
        max_length=promotion_rules.AT_MOST_AGENTS,
        help_text="The names of agents that may promote memory by hand.",
    )

    def get_fields(self) -> dict[str, Any]:
        numbers = {
            one.name: (FloatField if one.is_share else IntegerField)(
                required=False, min_value=one.least, max_value=one.most, help_text=one.meaning
            )
            for one in promotion_rules.THRESHOLDS
        }
        return {**numbers, **super().get_fields()}


class ChangeInput(StrictSerializer):
    preset = ChoiceField(PRESETS, required=False, help_text="Without it, the current preset stays with its overrides.")
    promotion = PromotionInput(required=False, help_text="Promotion thresholds to change; the others stay unchanged.")
    overrides = ListField(child=RuleInput(), required=False, max_length=60)
    reason = TextField(text.REASON)


class PolicyOutput(serializers.Serializer[Any]):
    preset = serializers.ChoiceField(PRESETS)
    rules = RuleInput(many=True)
    promotion = PromotionInput(help_text="The promotion thresholds in force.")


class ChangeOutput(serializers.Serializer[Any]):
    change_id = serializers.UUIDField()
    preset = serializers.ChoiceField(PRESETS)
    promotion = PromotionInput(allow_null=True, help_text="The promotion thresholds that it changes.")
    status = serializers.ChoiceField(PolicyChangeState.Status.choices)
    needs_second = serializers.BooleanField()
    takes_effect_at = serializers.DateTimeField(
        allow_null=True,
        help_text="When a pending change takes effect unless another admin applies it sooner or an admin rejects it."
        " null if it is decided, or if only a second admin can apply it.",
    )
    proposer = serializers.CharField()


class PendingOutput(serializers.Serializer[Any]):
    results = ChangeOutput(many=True)


class DecisionInput(StrictSerializer):
    reason = TextField(text.REMARK, required=False)


def _change_json(change: PolicyChange) -> dict[str, Any]:
    change.state.refresh_from_db()
    return {
        "change_id": change.id,
        "preset": change.preset,
        "promotion": change.promotion,
        "status": change.state.status,
        "needs_second": change.needs_second,
        "takes_effect_at": change.state.takes_effect_at,
        "proposer": change.proposer,
    }


class PolicyView(GovernedView):
    """The policy in force."""

    @extend_schema(operation_id="policy_retrieve", responses=PolicyOutput)
    def get(self, request: Request) -> Response:
        tenant = Tenant.objects.get(id=self.principal.tenant_id)
        rules = [
            {
                "op": rule.op,
                "proposer_kind": rule.proposer_kind,
                "sensitivity": rule.sensitivity,
                "approvals": rule.approvals,
            }
            for rule in policies.rules_of(tenant.id)
        ]
        thresholds = promotion_rules.rules_of(tenant.id)
        return Response({"preset": tenant.policy, "rules": rules, "promotion": thresholds})


class PolicyChangesView(IdempotentMixin, GovernedView):
    """Change the policy, or list pending changes."""

    @extend_schema(
        operation_id="policy_changes_pending", summary="List pending changes of the policy", responses=PendingOutput
    )
    def get(self, request: Request) -> Response:
        pending = policies.pending_changes(self.principal.tenant_id)
        return Response({"results": [_change_json(change) for change in pending]})

    @extend_schema(
        operation_id="policy_change",
        summary="Change the policy",
        request=ChangeInput,
        responses={201: ChangeOutput},
        description="Change the approvals that edits need, or the promotion thresholds. A change that requires fewer"
        " approvals anywhere, promotes memory sooner or lets more agents promote it waits for a second admin, or takes"
        " effect after an hour unless an admin rejects it. Under `strict` every change waits for a second admin.",
    )
    def post(self, request: Request) -> Response:
        values = ChangeInput.of(request.data)
        change = policies.propose_change(actor=self.principal, **values)
        return Response(_change_json(change), status.HTTP_201_CREATED)


class _DecisionView(IdempotentMixin, GovernedView):
    applies: ClassVar[bool]

    def post(self, request: Request, change_id: uuid.UUID) -> Response:
        values = DecisionInput.of(request.data)
        change = policies.decide_change(
            change_id, actor=self.principal, apply=self.applies, reason=values.get("reason", "")
        )
        return Response(_change_json(change))


_DOCUMENTED: dict[str, Any] = {
    "parameters": [OpenApiParameter("change_id", uuid.UUID, OpenApiParameter.PATH)],
    "request": DecisionInput,
    "responses": ChangeOutput,
}


@extend_schema_view(post=extend_schema(operation_id="policy_change_apply", **_DOCUMENTED))
class ApplyPolicyChangeView(_DecisionView):
    """Apply a pending change of the policy."""

    applies = True


@extend_schema_view(post=extend_schema(operation_id="policy_change_reject", **_DOCUMENTED))
class RejectPolicyChangeView(_DecisionView):
    """Reject a pending change of the policy."""

    applies = False
