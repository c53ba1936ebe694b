"""How a memory relates to an earlier one."""

from django.db import models
from django.db.models import F, Q

from governance.models import SealedModel


class Relation(SealedModel):
    """A later chunk updates an earlier one, or repeats it. Readers get the last update instead of the earlier chunk
    (`successor_of`). What repeats a memory that its recorder received follows that memory."""

    class Kind(models.TextChoices):
        UPDATE = "update"  # its recorder says that it replaces the earlier one
        COPY = "copy"  # it says nothing but what its recorder had received
        QUOTE = "quote"  # it contains what its recorder had received

    kind = models.TextField(choices=Kind.choices)
    later_id = models.UUIDField()  # of several chunks of an event, the first one for an update
    earlier_id = models.UUIDField(null=True)  # NULL for the first record with its key
    key = models.TextField(null=True)  # the recorder's own name of what an update is about
    key_digest = models.BinaryField(null=True)  # of the recorder, the subject and the key
    recorder_kind = models.TextField()
    recorded_by = models.UUIDField()
    recorder = models.TextField()
    at = models.DateTimeField()

    class Meta(SealedModel.Meta):
        indexes = [
            # the updates and the copies of a chunk
            models.Index(
                fields=["tenant", "earlier_id"], name="relation_of_earlier", condition=Q(earlier_id__isnull=False)
            ),
            # the last record with a key
            models.Index(
                fields=["tenant", "key_digest", "-id"], name="relation_of_key", condition=Q(key_digest__isnull=False)
            ),
        ]
        constraints = [
            models.UniqueConstraint(fields=["tenant", "later_id", "earlier_id"], name="relation_once"),
            models.CheckConstraint(condition=Q(kind__in=["update", "copy", "quote"]), name="relation_kind_known"),
            models.CheckConstraint(
                condition=Q(kind="update", key__isnull=False, key_digest__isnull=False)
                | Q(key__isnull=True, key_digest__isnull=True, earlier_id__isnull=False),
                name="relation_has_earlier_or_key",
            ),
            models.CheckConstraint(
                condition=Q(earlier_id__isnull=True) | ~Q(earlier_id=F("later_id")), name="relation_is_of_two"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.later_id} is an {self.kind} of {self.earlier_id}"
