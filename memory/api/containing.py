"""The view to contain a recorder."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from governance import text
from governance.api.batches import CommittedOutput, PreviewOrCommitInput, committed_json
from governance.http.idempotency import IdempotentMixin
from governance.http.views import GovernedView
from governance.inputs import BooleanField, InstantField, TextField
from memory.api import shapes
from memory.api.chunks import chunk_json
from memory.event_content import id_field
from memory.services import containing
from memory.usage.deliveries import deliver, versions_of
from memory.usage.means import Means


class ContainInput(PreviewOrCommitInput):
    """Send recorder, since and reason for a preview, or the token of a preview to commit it."""

    needed = ("recorder", "since", "reason")

    recorder = id_field(required=False, help_text="The agent or person whose records are quarantined, by name.")
    since = InstantField(required=False, help_text="Records from this time on, by the time of recording.")
    reason = TextField(text.REASON, required=False)
    reject_pending = BooleanField(required=False, help_text="Also reject the recorder's pending edits. For people.")


class ContainPreviewOutput(serializers.Serializer[Any]):
    memories = serializers.IntegerField(help_text="The chunks that would be quarantined.")
    others = serializers.DictField(
        child=serializers.IntegerField(), help_text="Other targets that would be quarantined, by type: capsules."
    )
    reverts = serializers.DictField(
        child=serializers.IntegerField(), help_text="The recorder's edits that would be reverted, by operation."
    )
    pending = serializers.IntegerField(
        help_text="The recorder's pending edits: rejected with reject_pending, otherwise left in the queue."
    )
    sample = shapes.ChunkByIdOutput(many=True)
    token = serializers.CharField()
    parts = serializers.IntegerField()


class ContainView(IdempotentMixin, GovernedView):
    """Quarantine everything that a recorder has recorded since a moment."""

    # a preview's sample contains text of memory
    stores_response = False

    @extend_schema(
        operation_id="edits_contain",
        summary="Contain a recorder",
        request=ContainInput,
        responses={200: ContainPreviewOutput, 201: CommittedOutput},
        description="First request a preview: the response (200) has counts, a sample and a token. Then send the token"
        " to commit it (201). This quarantines the recorder's records since then, including capsules, and reverts their"
        " edits (with `reject_pending`, it also rejects those that wait), as one batch under the tenant's policy."
        " `POST /edits/batches/{batch_id}/revert` undoes it. Repeat with the token until `is_complete` is true.",
    )
    def post(self, request: Request) -> Response:
        values = ContainInput.of(request.data)
        if "token" in values:
            self.stores_response = True
            done = containing.contain(values["token"], actor=self.principal)
            return Response(committed_json(done), status.HTTP_201_CREATED)
        preview = containing.preview_containment(actor=self.principal, **values)
        sample = [chunk_json(row) for row in preview.sample]
        deliver(self.principal, versions_of(sample), means=Means.PREVIEW)
        return Response(
            {
                "memories": preview.memories,
                "others": preview.others,
                "reverts": preview.reverts,
                "pending": preview.pending,
                "sample": sample,
                "token": preview.token,
                "parts": preview.parts,
            }
        )
