"""Audience rules over HTTP."""

import uuid
from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from governance import text
from governance.api.relations import RemovedOutput
from governance.faults import Faults
from governance.http.idempotency import IdempotentMixin
from governance.http.views import GovernedView
from governance.inputs import StrictSerializer, TextField
from governance.models import AudienceRule
from governance.relations import audience_json, listing, rules
from governance.relations.audience_json import AudienceInput
from governance.text import TextRule

_RULE_ID = OpenApiParameter("rule_id", uuid.UUID, OpenApiParameter.PATH)
_CONDITION = TextRule(200, may_be_empty=True)


class AudienceRuleInput(StrictSerializer):
    subject_type = TextField(
        TextRule(50, may_be_empty=True),
        default="",
        help_text="For records about subjects of this type; if empty, for all.",
    )
    tag = TextField(_CONDITION, default="", help_text="For records with this tag; if empty, for all.")
    kind = TextField(_CONDITION, default="", help_text="For records of this kind; if empty, for all.")
    audience = AudienceInput()
    reason = TextField(text.REASON)

    def check(self, values: dict[str, Any], pointer: str, faults: Faults) -> None:
        """Read the audience as usersets."""
        values["audience"] = audience_json.parse(values["audience"], f"{pointer}/audience", faults)


class AudienceRuleOutput(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    subject_type = serializers.CharField()
    tag = serializers.CharField()
    kind = serializers.CharField()
    audience = AudienceInput()
    reason = serializers.CharField()


class AudienceRulesOutput(serializers.Serializer[Any]):
    results = AudienceRuleOutput(many=True)


class AudienceRulesView(IdempotentMixin, GovernedView):
    """The audience of new records that name none."""

    @extend_schema(
        operation_id="audience_rules_list", summary="List the rules of audience", responses=AudienceRulesOutput
    )
    def get(self, request: Request) -> Response:
        return Response({"results": [_rule_json(row) for row in listing.audience_rules(self.principal)]})

    @extend_schema(
        operation_id="audience_rules_set",
        summary="Set a rule of audience",
        request=AudienceRuleInput,
        responses={201: AudienceRuleOutput},
        description="Set the audience of new records that match the conditions and name no audience. It replaces the"
        " rule for the same conditions. Of several rules that match, the one with the most conditions applies; of equal"
        " ones that with a tag, then that with a kind. For admins.",
    )
    def post(self, request: Request) -> Response:
        values = AudienceRuleInput.of(request.data)
        conditions = rules.Conditions(values["subject_type"], values["tag"], values["kind"])
        made = rules.set_audience_rule(conditions, values["audience"], actor=self.principal, reason=values["reason"])
        row = AudienceRule.objects.get(tenant_id=self.principal.tenant_id, id=made)
        return Response(_rule_json(row), status.HTTP_201_CREATED)


class AudienceRuleView(GovernedView):
    """One rule."""

    @extend_schema(
        operation_id="audience_rules_remove",
        summary="Remove a rule of audience",
        parameters=[_RULE_ID],
        responses={200: RemovedOutput},
        description="Remove a rule. Existing records keep their audience. For admins.",
    )
    def delete(self, request: Request, rule_id: uuid.UUID) -> Response:
        rules.remove_audience_rule(rule_id, actor=self.principal)
        return Response({"removed": rule_id})


def _rule_json(row: AudienceRule) -> dict[str, Any]:
    return {
        "id": row.id,
        "subject_type": row.subject_type,
        "tag": row.tag,
        "kind": row.kind,
        "audience": audience_json.render(row.usersets),
        "reason": row.reason,
    }
