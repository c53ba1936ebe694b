"""The view that reverts a batch."""

import uuid
from dataclasses import asdict
from typing import Any, ClassVar

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from governance import text
from governance.edits import batches
from governance.edits.batches import Committed
from governance.faults import Faults
from governance.http.idempotency import IdempotentMixin
from governance.http.views import GovernedView
from governance.inputs import CharField, StrictSerializer, TextField


class PreviewOrCommitInput(StrictSerializer):
    """The fields `needed` for a preview, or the token of a preview to commit it."""

    needed: ClassVar[tuple[str, ...]] = ("reason",)
    #: The fields that may accompany a token.
    beside_token: ClassVar[tuple[str, ...]] = ()

    token = CharField(required=False, max_length=20_000)

    def check(self, values: dict[str, Any], pointer: str, faults: Faults) -> None:
        """Check that there is either the token or the fields of a preview."""
        if "token" in values:
            for name in values.keys() - {"token", *self.beside_token}:
                faults.add(f"{pointer}/{name}", "Leave this out: the token includes it.")
        else:
            for name in self.needed:
                if name not in values:
                    faults.add(f"{pointer}/{name}", "This field is required.")


class RevertBatchInput(PreviewOrCommitInput):
    """Send a reason for a preview, or the token of a preview to commit it."""

    reason = TextField(text.REASON, required=False)


class BatchPreviewOutput(serializers.Serializer[Any]):
    batch_id = serializers.UUIDField()
    count = serializers.IntegerField(help_text="The edits in effect, which would be reverted.")
    by_op = serializers.DictField(child=serializers.IntegerField(), help_text="The same by operation.")
    pending = serializers.IntegerField(help_text="Edits that wait for approval. They stay for a person to decide.")
    reverted = serializers.IntegerField(help_text="Edits that were reverted before.")
    token = serializers.CharField()
    parts = serializers.IntegerField(
        help_text="One for every 2,000 edits. A commit does as many parts as its time allows."
    )


class CommittedOutput(serializers.Serializer[Any]):
    batch_id = serializers.UUIDField(help_text="The batch of the proposed edits; `GET /edits?batch_id=` lists them.")
    statuses = serializers.DictField(
        child=serializers.IntegerField(), help_text="How many edits were proposed, by status: approved or pending."
    )
    refused = serializers.ListField(
        child=serializers.CharField(), help_text="Why some edits were refused. They changed nothing."
    )
    is_complete = serializers.BooleanField(help_text="If false, send the token again for the rest.")


class RevertBatchView(IdempotentMixin, GovernedView):
    """Revert all edits of a batch."""

    @extend_schema(
        operation_id="edits_batch_revert",
        parameters=[OpenApiParameter("batch_id", uuid.UUID, OpenApiParameter.PATH)],
        request=RevertBatchInput,
        responses={200: BatchPreviewOutput, 201: CommittedOutput},
        description="First request a preview with a reason: the answer (200) has counts and a token. Then send the"
        " token to commit it (201): every edit of the batch that is in effect is reverted, under the tenant's policy."
        " An agent reverts edits that it proposed.",
    )
    def post(self, request: Request, batch_id: uuid.UUID) -> Response:
        values = RevertBatchInput.of(request.data)
        if "token" in values:
            done = batches.revert_batch(batch_id, values["token"], actor=self.principal)
            return Response(committed_json(done), status.HTTP_201_CREATED)
        return Response(asdict(batches.preview_revert(batch_id, actor=self.principal, reason=values["reason"])))


def committed_json(done: Committed) -> dict[str, Any]:
    """The result of a commit for the API."""
    return asdict(done)
