"""The ledger over HTTP: its export, its tree head and its proofs."""

import uuid
from typing import Any

from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from governance import text
from governance.http.filters import Parameter, ParameterFilter
from governance.http.rendering import JSONRenderer
from governance.http.views import GovernedView
from governance.inputs import IdField, IntegerField, PatternField, TextField
from governance.ledger import exports, proofs
from governance.text import TextRule


class _Parameters(ParameterFilter):
    also_accepted = frozenset()


class EntriesParameters(_Parameters):
    chain = Parameter(
        TextField(text.IDENTIFIER, required=False, help_text="Export this chain only, without the sealed rows.")
    )


class InclusionParameters(_Parameters):
    kind = Parameter(
        PatternField(
            TextRule(40), "[a-z_]+", "the kind of a row", help_text="event, chunk, decision, edit, verdict, access, ..."
        )
    )
    id = Parameter(IdField())
    size = Parameter(
        IntegerField(min_value=1, required=False, help_text="Number of leaves in the tree; the default is all.")
    )


# Created by a call, because `from` is a Python keyword.
ConsistencyParameters: type[ParameterFilter] = type(
    "ConsistencyParameters",
    (_Parameters,),
    {
        "from": Parameter(IntegerField(min_value=1, help_text="Number of leaves in the older tree.")),
        "to": Parameter(
            IntegerField(
                min_value=1, required=False, help_text="Number of leaves in the newer tree; the default is all."
            )
        ),
    },
)


class InclusionOutput(serializers.Serializer[Any]):
    kind = serializers.CharField()
    id = serializers.UUIDField()
    position = serializers.IntegerField()
    row = serializers.CharField(
        allow_null=True,
        help_text="leaf_hash is the SHA-256 of the byte 0x00 and this text. null means that the row was deleted.",
    )
    leaf_hash = serializers.CharField()
    size = serializers.IntegerField()
    root = serializers.CharField()  # type: ignore[assignment] # the field shadows Field.root
    path = serializers.ListField(child=serializers.CharField())


class ConsistencyOutput(serializers.Serializer[Any]):
    old_size = serializers.IntegerField()
    new_size = serializers.IntegerField()
    old_root = serializers.CharField()
    new_root = serializers.CharField()
    path = serializers.ListField(child=serializers.CharField())


class TreeHeadOutput(serializers.Serializer[Any]):
    note = serializers.CharField(help_text="The signed note (C2SP). Keep it where this server cannot change it.")
    size = serializers.IntegerField()
    root = serializers.CharField()  # type: ignore[assignment] # the field shadows Field.root
    seq = serializers.IntegerField()
    head = serializers.CharField()


class EntriesView(GovernedView):
    """The whole ledger as JSON lines. `suture verify` checks it without this server."""

    reads_query = True

    @extend_schema(
        operation_id="ledger_entries",
        parameters=[EntriesParameters.schema()],
        responses={
            (200, "application/jsonl"): OpenApiResponse(OpenApiTypes.STR, description="JSON lines."),
            404: None,
        },
    )
    def get(self, request: Request) -> StreamingHttpResponse:
        lines = exports.export(self.principal, chain=EntriesParameters.read(request).values["chain"])
        return StreamingHttpResponse(
            lines,
            content_type="application/jsonl",
            headers={"Content-Disposition": f'attachment; filename="ledger-{self.principal.tenant_slug}.jsonl"'},
        )


class NoteRenderer(JSONRenderer):
    """Renders only the note, as in files of tree heads. Answers without a note, such as problems, stay JSON."""

    media_type = "text/plain"
    format = "txt"
    charset = "utf-8"

    def render(self, data: Any, accepted_media_type: str | None = None, renderer_context: Any = None) -> bytes:
        """The note in `data`."""
        if isinstance(data, dict) and "note" in data:
            return str(data["note"]).encode()
        return super().render(data, None, renderer_context)


class TreeHeadView(GovernedView):
    """The last published, signed tree head of the ledger: as JSON, or with `Accept: text/plain` as the signed note
    only. `suture verify --trusted-tree-head` accepts both."""

    renderer_classes = [JSONRenderer, NoteRenderer]

    @extend_schema(
        operation_id="ledger_tree_head",
        responses={
            (200, "application/json"): TreeHeadOutput,
            (200, "text/plain"): OpenApiResponse(OpenApiTypes.STR, description="The signed note (C2SP)."),
            404: None,
        },
    )
    def get(self, request: Request) -> Response:
        note = proofs.last_tree_head(self.principal)
        tree_head = note.tree_head
        return Response(
            {
                "note": note.text,
                "size": tree_head.size,
                "root": tree_head.root.hex(),
                "seq": tree_head.seq,
                "head": tree_head.head.hex(),
            }
        )


class InclusionView(GovernedView):
    """The proof that a row is in the sealed record."""

    reads_query = True

    @extend_schema(
        operation_id="ledger_proof_inclusion",
        parameters=[InclusionParameters.schema()],
        responses={200: InclusionOutput, 404: None},
    )
    def get(self, request: Request) -> Response:
        values = InclusionParameters.read(request).values
        row_id: uuid.UUID = values["id"]
        proof = proofs.inclusion(self.principal, kind=values["kind"], row_id=row_id, size=values["size"])
        return Response(
            {
                "kind": proof.kind,
                "id": proof.row_id,
                "position": proof.position,
                "row": proof.row,
                "leaf_hash": proof.leaf_hash.hex(),
                "size": proof.size,
                "root": proof.root.hex(),
                "path": [node.hex() for node in proof.path],
            }
        )


class ConsistencyView(GovernedView):
    """The proof that the sealed record only grew."""

    reads_query = True

    @extend_schema(
        operation_id="ledger_proof_consistency",
        parameters=[ConsistencyParameters.schema()],
        responses={200: ConsistencyOutput, 404: None},
    )
    def get(self, request: Request) -> Response:
        values = ConsistencyParameters.read(request).values
        proof = proofs.consistency(self.principal, old_size=values["from"], new_size=values["to"])
        return Response(
            {
                "old_size": proof.old_size,
                "new_size": proof.new_size,
                "old_root": proof.old_root.hex(),
                "new_root": proof.new_root.hex(),
                "path": [node.hex() for node in proof.path],
            }
        )
