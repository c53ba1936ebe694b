"""Relations and implied relations over HTTP."""

import uuid
from datetime import datetime
from typing import Any

from django.db.models import Q, QuerySet
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from governance import text
from governance.api.shapes import ReasonInput
from governance.http.filters import Parameter, ParameterFilter, filtered
from governance.http.idempotency import IdempotentMixin
from governance.http.pagination import SCHEMA_PARAMETERS, envelope, page, page_schema
from governance.http.parsing import CSVParser
from governance.http.views import GovernedView
from governance.inputs import BooleanField, InstantField, StrictSerializer, TextField
from governance.models import RelationRevocation, RelationTuple
from governance.relations import adding, implying, importing, listing, revoking
from governance.relations.drafts import RelationDraft
from governance.relations.refusals import NoSuchRelation
from governance.relations.unused_names import Notice
from governance.text import TextRule

_PRINCIPAL, _RELATION = TextRule(251), TextRule(50)
_RELATION_ID = OpenApiParameter("relation_id", uuid.UUID, OpenApiParameter.PATH)
_IMPLIED_ID = OpenApiParameter("implied_id", uuid.UUID, OpenApiParameter.PATH)


class RelationInput(StrictSerializer):
    principal = TextField(_PRINCIPAL, help_text="Who stands in the relation, `type:id`, such as `user:charlie`.")
    relation = TextField(_RELATION, help_text="The name of the relation, such as `clinician_of`.")
    object = TextField(_PRINCIPAL, help_text="To what, `type:id`, such as `patient:ada`.")
    valid_from = InstantField(required=False, help_text="From when it is valid; if omitted, from now on.")
    valid_until = InstantField(
        required=False, allow_null=True, help_text="The moment at which it ends; if omitted, it has no end."
    )
    reason = TextField(text.REASON)


class RelationFilter(ParameterFilter):
    """The parameters of the list of relations."""

    principal = Parameter(TextField(_PRINCIPAL, required=False))
    relation = Parameter(TextField(_RELATION, required=False))
    object = Parameter(TextField(_PRINCIPAL, required=False))
    current = Parameter(
        BooleanField(
            required=False, help_text="`true`: those that are valid now and not revoked; `false`: all others."
        ),
        method="is_current",
    )

    def is_current(self, rows: QuerySet[Any], name: str, value: bool) -> QuerySet[Any]:
        """Filter by whether they are valid now."""
        return rows.filter(listing.current() if value else ~Q(listing.current()))


class RelationNoticeOutput(serializers.Serializer[Any]):
    code = serializers.ChoiceField(["unknown_type", "unknown_relation"])
    detail = serializers.CharField()


class RelationTupleOutput(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    principal = serializers.CharField()
    relation = serializers.CharField()
    object = serializers.CharField()
    valid_from = serializers.DateTimeField()
    valid_until = serializers.DateTimeField(allow_null=True)
    is_current = serializers.BooleanField(help_text="Whether it is valid now and not revoked.")
    reason = serializers.CharField()
    recorder = serializers.CharField(help_text="Who added it.")
    recorded_at = serializers.DateTimeField()
    revoked_at = serializers.DateTimeField(allow_null=True)
    revoked_by = serializers.CharField(allow_null=True)
    revoked_reason = serializers.CharField(allow_null=True)


class AddedRelationOutput(RelationTupleOutput):
    notices = RelationNoticeOutput(
        many=True, help_text="Types and relations that the tenant has not used before, with the nearest one in use."
    )


class ImportedRelationsOutput(serializers.Serializer[Any]):
    relations = serializers.IntegerField(help_text="The number of relations that were added.")
    notices = RelationNoticeOutput(many=True)


class ImpliedRelationInput(StrictSerializer):
    object_type = TextField(_RELATION, help_text="The type of the objects, such as `patient`.")
    relation = TextField(_RELATION, help_text="Who stands in this relation to such an object ...")
    implies = TextField(_RELATION, help_text="... also stands in this one to it.")


class ImpliedRelationOutput(ImpliedRelationInput):
    id = serializers.UUIDField()


class ImpliedRelationsOutput(serializers.Serializer[Any]):
    results = ImpliedRelationOutput(many=True)


class RemovedOutput(serializers.Serializer[Any]):
    removed = serializers.UUIDField()


class RelationsView(IdempotentMixin, GovernedView):
    """Who stands in which relation to what."""

    reads_query = True

    @extend_schema(
        operation_id="relations_add",
        summary="Add a relation",
        request=RelationInput,
        responses={201: AddedRelationOutput},
        description="Record that a principal stands in a relation to an object, for some time or without an end. For"
        " reviewers and admins.",
    )
    def post(self, request: Request) -> Response:
        values = RelationInput.of(request.data)
        added = adding.add_relation(RelationDraft(**values), actor=self.principal)
        (shown,) = _shown(list(RelationTuple.objects.filter(tenant_id=self.principal.tenant_id, id=added.id)))
        return Response({**shown, "notices": notices_json(added.notices)}, status.HTTP_201_CREATED)

    @extend_schema(
        operation_id="relations_list",
        summary="List relations",
        parameters=[RelationFilter.schema(), *SCHEMA_PARAMETERS],
        responses=page_schema("RelationPage", RelationTupleOutput),
        description="List relations, newest first, with those that are over or revoked. People with a role get all; an"
        " agent gets those of the principal on whose behalf it asks, or else its own.",
    )
    def get(self, request: Request) -> Response:
        found = filtered(RelationFilter, request, listing.visible_relations(self.principal))
        rows, following = page(found, request, order=("-recorded_at", "-id"), scope="relations")
        return Response(envelope(_shown(rows), following))


class RelationView(GovernedView):
    """One relation."""

    @extend_schema(operation_id="relations_retrieve", parameters=[_RELATION_ID], responses=RelationTupleOutput)
    def get(self, request: Request, relation_id: uuid.UUID) -> Response:
        found = listing.visible_relations(self.principal).filter(id=relation_id).first()
        if found is None:
            raise NoSuchRelation
        return Response(_shown([found])[0])


class RevokeRelationView(IdempotentMixin, GovernedView):
    """Revoke a relation."""

    @extend_schema(
        operation_id="relations_revoke",
        parameters=[_RELATION_ID],
        request=ReasonInput,
        responses=RelationTupleOutput,
        description="End a relation now, for good. It stays in the list. For reviewers and admins.",
    )
    def post(self, request: Request, relation_id: uuid.UUID) -> Response:
        values = ReasonInput.of(request.data)
        revoking.revoke_relation(relation_id, actor=self.principal, reason=values["reason"])
        found = RelationTuple.objects.get(tenant_id=self.principal.tenant_id, id=relation_id)
        return Response(_shown([found])[0])


class ImportRelationsView(IdempotentMixin, GovernedView):
    """Add the relations of a CSV file."""

    parser_classes = [CSVParser]

    @extend_schema(
        operation_id="relations_import",
        request={"text/csv": OpenApiTypes.BINARY},
        responses={201: ImportedRelationsOutput},
        description="Add up to 1,000 relations, all or none, from CSV with the columns principal, relation, object,"
        " reason and, if you need them, valid_from and valid_until. An error names the line. For reviewers and admins.",
    )
    def post(self, request: Request) -> Response:
        file = request.data if isinstance(request.data, bytes) else b""
        made = importing.import_relations(file, actor=self.principal)
        return Response({"relations": made.relations, "notices": notices_json(made.notices)}, status.HTTP_201_CREATED)


class ImpliedRelationsView(IdempotentMixin, GovernedView):
    """Relations that imply others."""

    @extend_schema(
        operation_id="implied_relations_list", summary="List implied relations", responses=ImpliedRelationsOutput
    )
    def get(self, request: Request) -> Response:
        rows = listing.implied_relations(self.principal).values("id", "object_type", "relation", "implies")
        return Response({"results": list(rows)})

    @extend_schema(
        operation_id="implied_relations_add",
        summary="Add an implied relation",
        request=ImpliedRelationInput,
        responses={201: ImpliedRelationOutput},
        description="Let everyone who stands in a relation to an object of a type also stand in another one to it. What"
        " is implied implies nothing more. For admins.",
    )
    def post(self, request: Request) -> Response:
        values = ImpliedRelationInput.of(request.data)
        made = implying.add_implied_relation(**values, actor=self.principal)
        return Response({"id": made, **values}, status.HTTP_201_CREATED)


class ImpliedRelationView(GovernedView):
    """One implied relation."""

    @extend_schema(
        operation_id="implied_relations_remove",
        summary="Remove an implied relation",
        parameters=[_IMPLIED_ID],
        responses={200: RemovedOutput},
        description="Remove an implied relation. For admins.",
    )
    def delete(self, request: Request, implied_id: uuid.UUID) -> Response:
        implying.remove_implied_relation(implied_id, actor=self.principal)
        return Response({"removed": implied_id})


def notices_json(notices: list[Notice]) -> list[dict[str, str]]:
    """Notices for the API."""
    return [{"code": one.code, "detail": one.detail} for one in notices]


def _shown(rows: list[RelationTuple]) -> list[dict[str, Any]]:
    now, revoked = timezone.now(), listing.revocations(rows)
    return [_relation_json(row, revoked.get(row.id), now) for row in rows]


def _relation_json(row: RelationTuple, revoked: RelationRevocation | None, now: datetime) -> dict[str, Any]:
    is_valid = row.valid_from <= now and (row.valid_until is None or row.valid_until > now)
    return {
        "id": row.id,
        "principal": row.principal,
        "relation": row.relation,
        "object": row.object,
        "valid_from": row.valid_from,
        "valid_until": row.valid_until,
        "is_current": is_valid and revoked is None,
        "reason": row.reason,
        "recorder": row.recorder,
        "recorded_at": row.recorded_at,
        "revoked_at": revoked and revoked.recorded_at,
        "revoked_by": revoked and revoked.recorder,
        "revoked_reason": revoked and revoked.reason,
    }
