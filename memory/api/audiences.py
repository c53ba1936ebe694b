"""Who reads what, over HTTP."""

import uuid
from datetime import datetime
from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from governance.http.filters import Parameter, ParameterFilter
from governance.http.pagination import SCHEMA_PARAMETERS, envelope, page_of_rows, page_schema
from governance.http.views import GovernedView
from governance.inputs import TextField
from governance.models import Channel, Sensitivity
from governance.relations.audience_json import render
from governance.text import TextRule
from memory.audiences import simulating
from memory.event_content import id_field


class HearerOutput(serializers.Serializer[Any]):
    principal = serializers.CharField()
    userset = serializers.CharField(help_text="What the audience names: itself, or `type:id#relation`.")
    relation = serializers.CharField(allow_null=True, help_text="The relation by which it has this userset.")
    valid_until = serializers.DateTimeField(allow_null=True)


class AudienceReadersOutput(serializers.Serializer[Any]):
    audience = serializers.DictField(child=serializers.ListField(child=serializers.CharField()))
    readers = HearerOutput(many=True, help_text="At most 100 of each userset.")


class ReadersOutput(serializers.Serializer[Any]):
    chunk_id = serializers.UUIDField()
    has_audience = serializers.BooleanField(help_text="If false, everyone who may read its channel reads it.")
    audiences = AudienceReadersOutput(many=True, help_text="A reader must hear each of them.")
    readers = serializers.ListField(child=serializers.CharField(), help_text="The principals that hear every one.")


class ReadingFilter(ParameterFilter):
    """The parameters of what a principal reads about a subject."""

    principal = Parameter(TextField(TextRule(251), help_text="The principal, `type:id`."))
    subject_type = Parameter(id_field())
    subject_id = Parameter(id_field())


class ReadingOutput(serializers.Serializer[Any]):
    chunk_id = serializers.UUIDField()
    ts = serializers.DateTimeField()
    text = serializers.CharField(allow_null=True)
    channel = serializers.ChoiceField(Channel.choices)
    sensitivity = serializers.ChoiceField(Sensitivity.choices)
    recorder = serializers.CharField()
    is_read = serializers.BooleanField()
    why_not = serializers.ChoiceField(
        ["audience", "expired", "superseded", "quarantined", "sensitivity"], allow_null=True
    )
    because = serializers.ListField(
        child=serializers.CharField(), help_text="The usersets of the principal that the audience names."
    )


class ReadersView(GovernedView):
    """Who can read a chunk."""

    @extend_schema(
        operation_id="chunks_readers",
        parameters=[OpenApiParameter("chunk_id", uuid.UUID, OpenApiParameter.PATH)],
        responses=ReadersOutput,
        description="Who can read a chunk now, and why: the principals that its audience names, or that stand in a"
        " relation that it names. For people with a role.",
    )
    def get(self, request: Request, chunk_id: uuid.UUID) -> Response:
        found = simulating.readers_of(chunk_id, tenant_id=self.principal.tenant_id)
        return Response(
            {
                "chunk_id": chunk_id,
                "has_audience": bool(found.audiences),
                "audiences": [
                    {
                        "audience": render(usersets),
                        "readers": [
                            {name: getattr(one, name) for name in ("principal", "userset", "relation", "valid_until")}
                            for one in reasons
                        ],
                    }
                    for usersets, reasons in found.audiences
                ],
                "readers": found.names,
            }
        )


class ReadingView(GovernedView):
    """What a principal reads about a subject."""

    reads_query = True

    @extend_schema(
        operation_id="principals_reading",
        parameters=[ReadingFilter.schema(), *SCHEMA_PARAMETERS],
        responses=page_schema("ReadingPage", ReadingOutput),
        description="The chunks about a subject, newest first: whether an agent with a key of every channel reads each"
        " on behalf of the principal, and why not. For people with a role.",
    )
    def get(self, request: Request) -> Response:
        values = ReadingFilter.read(request).values

        def fetch(before: tuple[datetime, uuid.UUID] | None, limit: int) -> list[dict[str, Any]]:
            rows = simulating.readable_about(
                values["principal"],
                values["subject_type"],
                values["subject_id"],
                principal=self.principal,
                before=before,
                limit=limit,
            )
            names = ("chunk_id", "ts", "text", "channel", "sensitivity", "recorder", "because")
            return [
                {**{name: getattr(row, name) for name in names}, "is_read": row.why is None, "why_not": row.why}
                for row in rows
            ]

        found, following = page_of_rows(fetch, request, key=("ts", "chunk_id"), scope="reading")
        return Response(envelope(found, following))
