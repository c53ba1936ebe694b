"""The only table with text."""

from django.db import models
from django.utils import timezone

from governance.database.triggers import DenyChangeUnlessErased, DenyTruncate
from governance.models.tenancy import AppendOnlyModel


class Content(AppendOnlyModel):
    """Every remembered or proposed text: event bodies, statements, amended texts.

    No foreign key references it, so that it can be erased. The web's role cannot select from it: only gate functions
    return text. `sha256` is over salt and body, so that guesses cannot be tested against the hash that stays after an
    erasure.
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
