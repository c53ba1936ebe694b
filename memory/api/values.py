"""Values over HTTP: preview every place of a value, forget or replace it everywhere, list the values kept out."""

import json
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from governance import text
from governance.acting.principals import Principal
from governance.api.shapes import OutcomeOutput, outcome_json
from governance.http.idempotency import IdempotentMixin
from governance.http.views import GovernedView
from governance.inputs import BooleanField, CharField, ChoiceField, InstantField, StrictSerializer, TextField
from governance.models import Channel
from memory.event_content import id_field
from memory.models import Value
from memory.usage.deliveries import deliver
from memory.usage.means import Means
from memory.values import proposing
from memory.values.db import GuardRow, SaidPlace
from memory.values.targets import VALUE_TEXT

#: The fields of a reach, and the columns of the value.
_COLUMNS = {"recorder": "by_recorder"}


class ReachInput(StrictSerializer):
    subject_type = id_field(required=False)
    subject_id = id_field(required=False)
    project_id = id_field(required=False)
    session_id = id_field(required=False)
    recorder = id_field(required=False, help_text="The agent or person who recorded it, by name.")
    channel = ChoiceField(Channel.choices, required=False)
    since = InstantField(required=False)
    until = InstantField(required=False)


class ValuePreviewInput(StrictSerializer):
    op = ChoiceField(Value.Op.choices, help_text="forget: cut it. replace: put `to` in its place.")
    value = TextField(VALUE_TEXT, help_text="A code, name, number, address or sentence: one or more whole words.")
    to = TextField(VALUE_TEXT, required=False, help_text="For replace: the new words.")
    reach = ReachInput(required=False, help_text="Default: all memory that you may edit.")
    ends_at = InstantField(required=False, help_text="When to stop keeping it out of new memory (default: never).")
    reason = TextField(text.REASON)


class PlaceOutput(serializers.Serializer[Any]):
    kind = serializers.CharField(
        help_text="message, decision, task, artifact, summary, commit, consolidation, block, hook, response, file,"
        " capsule or edit."
    )
    id = serializers.UUIDField()
    line = serializers.CharField(allow_null=True, help_text="The words around it.")
    recorder = serializers.CharField(allow_null=True)
    ts = serializers.DateTimeField()
    received_by = serializers.ListField(
        child=serializers.CharField(), help_text="Agents and people who have received it, at most ten."
    )


class ReachOutput(serializers.Serializer[Any]):
    subject_type = serializers.CharField(required=False)
    subject_id = serializers.CharField(required=False)
    project_id = serializers.CharField(required=False)
    session_id = serializers.CharField(required=False)
    recorder = serializers.CharField(required=False)
    channel = serializers.CharField(required=False)
    since = serializers.DateTimeField(required=False)
    until = serializers.DateTimeField(required=False)


class ValuePreviewOutput(serializers.Serializer[Any]):
    count = serializers.IntegerField(help_text="How many places say the value.")
    by_kind = serializers.DictField(child=serializers.IntegerField())
    places = PlaceOutput(many=True, help_text="The newest 200.")
    near = PlaceOutput(
        many=True, help_text="Places with all of its words, but not in a row. They stay: look at them yourself."
    )
    reach = ReachOutput(help_text="An agent that recorded every place gets its own memory as the reach.")
    confirm_because = serializers.ListField(
        child=serializers.CharField(), help_text="If there is any, send the token with `confirm: true`."
    )
    token = serializers.CharField()


class CommitValueInput(StrictSerializer):
    token = CharField(max_length=20_000, help_text="Of a preview that you made within the last hour.")
    confirm = BooleanField(default=False)
    erase = BooleanField(
        default=False,
        help_text="For an admin: also propose to erase every text that says it. Another admin decides.",
    )


class CommittedValueOutput(OutcomeOutput):
    value_id = serializers.UUIDField()
    erasure_id = serializers.UUIDField(required=False, help_text="With `erase`: the erasure that waits for an admin.")


class GuardOutput(serializers.Serializer[Any]):
    value_id = serializers.UUIDField()
    edit_id = serializers.UUIDField(help_text="To allow the value again, revert this edit.")
    op = serializers.ChoiceField(Value.Op.choices)
    value = serializers.CharField(allow_null=True, help_text="Null once it is erased, and for agents.")
    to = serializers.CharField(allow_null=True)
    reach = ReachOutput()
    proposer = serializers.CharField()
    reason = serializers.CharField()
    applied_at = serializers.DateTimeField()
    ends_at = serializers.DateTimeField(allow_null=True)
    waiting = serializers.IntegerField(help_text="Memories that are in no answer until a job has rewritten them.")


class GuardsOutput(serializers.Serializer[Any]):
    results = GuardOutput(many=True)


class PreviewView(IdempotentMixin, GovernedView):
    """Preview forgetting or replacing a value everywhere."""

    only_reads = True
    stores_response = False

    @extend_schema(
        operation_id="values_preview",
        request=ValuePreviewInput,
        responses=ValuePreviewOutput,
        description="Every place that says the value, by kind, with the words around it. The value is found as whole"
        " words in every spelling that search treats as the same. Nothing changes: send the token to `POST /values`.",
    )
    def post(self, request: Request) -> Response:
        return Response(previewed_json(self.principal, ValuePreviewInput.of(request.data)))


class ValuesView(IdempotentMixin, GovernedView):
    """Forget or replace a value everywhere, or list the values that are kept out."""

    @extend_schema(
        operation_id="values_create",
        summary="Forget or replace a value",
        request=CommitValueInput,
        responses={201: CommittedValueOutput},
        description="Commit a preview as one edit. The tenant's policy decides whether it applies at once. From then on"
        " no answer says the value, and later records that say it are stored without it (forget) or quarantined"
        " (replace). To undo it, revert the edit; what was erased stays erased.",
    )
    def post(self, request: Request) -> Response:
        values = CommitValueInput.of(request.data)
        done = proposing.commit_value(
            values["token"], actor=self.principal, confirm=values["confirm"], erase=values["erase"]
        )
        return Response(committed_json(done), status.HTTP_201_CREATED)

    @extend_schema(operation_id="values_list", summary="List values that are kept out", responses=GuardsOutput)
    def get(self, request: Request) -> Response:
        return Response({"results": [guard_json(row) for row in proposing.guards(self.principal)]})


def previewed_json(principal: Principal, values: dict[str, Any]) -> dict[str, Any]:
    """Preview what a checked `ValuePreviewInput` describes. What it lists counts as delivered."""
    reach = {_COLUMNS.get(name, name): one for name, one in values.get("reach", {}).items()}
    found = proposing.preview_value(
        actor=principal,
        op=values["op"],
        value=values["value"],
        to=values.get("to"),
        reach=reach,
        ends_at=values.get("ends_at"),
        reason=values["reason"],
    )
    shown = [one for one in (*found.places, *found.near) if one.kind not in ("capsule", "edit")]
    deliver(principal, [(one.record_id, one.edits_applied) for one in shown], means=Means.PREVIEW)
    return {
        "count": found.count,
        "by_kind": found.by_kind,
        "places": [place_json(one) for one in found.places],
        "near": [place_json(one) for one in found.near],
        "reach": _reach_json(found.reach),
        "confirm_because": found.confirm_because,
        "token": found.token,
    }


def committed_json(done: proposing.Committed) -> dict[str, Any]:
    """The result of a commit for the API."""
    erasure = {} if done.erasure_id is None else {"erasure_id": done.erasure_id}
    return {"value_id": done.value_id, **outcome_json(done.outcome), **erasure}


def place_json(one: SaidPlace) -> dict[str, Any]:
    """A place of a value for the API."""
    return {
        "kind": one.kind,
        "id": one.record_id,
        "line": one.line,
        "recorder": one.recorder,
        "ts": one.ts,
        "received_by": one.received_by,
    }


def guard_json(row: GuardRow) -> dict[str, Any]:
    """A guard for the API."""
    return {
        "value_id": row.value_id,
        "edit_id": row.edit_id,
        "op": row.op,
        "value": row.value,
        "to": row.instead,
        "reach": json.loads(row.reach),
        "proposer": row.proposer,
        "reason": row.reason,
        "applied_at": row.applied_at,
        "ends_at": row.ends_at,
        "waiting": row.waiting,
    }


def _reach_json(reach: dict[str, Any]) -> dict[str, Any]:
    names = {column: name for name, column in _COLUMNS.items()}
    return {names.get(column, column): value for column, value in reach.items()}
