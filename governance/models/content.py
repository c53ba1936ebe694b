"""The one table that holds words."""

from django.db import models
from django.utils import timezone

from governance.database.triggers import DenyChangeUnlessErased, DenyTruncate
from governance.models.tenancy import AppendOnlyModel


class Content(AppendOnlyModel):
    """Every remembered or proposed text: event bodies, statements, amended texts.

    Nothing references it by foreign key, or it could not be erased. The web's role cannot select from it: words
    come out of the gate functions only. `sha256` is over salt and body, so that the hash which stays behind after
    an erasure cannot be tried against guesses.
    """

    salt = models.BinaryField(max_length=16)
    body = models.TextField()
    sha256 = models.BinaryField(max_length=32)

    class Meta(AppendOnlyModel.Meta):
        triggers = [DenyChangeUnlessErased(name="append_only"), DenyTruncate(name="no_truncate")]


class ErasedContent(AppendOnlyModel):
    """The tombstone of a content row that was lawfully erased. Written by the gate's `erase_content`."""

    sha256 = models.BinaryField(max_length=32)
    erasure_id = models.UUIDField()
    erased_at = models.DateTimeField(default=timezone.now)

    class Meta(AppendOnlyModel.Meta):
        verbose_name = "erased content"
        verbose_name_plural = "erased contents"
        indexes = [models.Index(fields=["tenant", "erasure_id"], name="erased_content_erasure")]  # the receipt

    def __str__(self) -> str:
        return f"content {self.id}"
