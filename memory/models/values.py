"""Values that are corrected or forgotten wherever they stand, and the guards that keep them out."""

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.utils import timezone

from governance.models import SealedModel, TenantModel
from memory.models.scoped import Retention


class Reach(models.Model):
    """The memory that an edit of a value changes: NULL does not narrow it."""

    subject_type = models.TextField(null=True)
    subject_id = models.TextField(null=True)
    project_id = models.TextField(null=True)
    session_id = models.TextField(null=True)
    by_recorder = models.TextField(null=True)
    channel = models.TextField(null=True)
    since = models.DateTimeField(null=True)
    until = models.DateTimeField(null=True)
    ends_at = models.DateTimeField(null=True)  # when its guard ends; memory that is corrected by then stays corrected

    class Meta:
        abstract = True


class Value(SealedModel, Reach):
    """A phrase as a target of edits: a retract of it forgets it everywhere, an amend replaces it. Its words are a
    content row. Written by the gate function `record_value`."""

    class Op(models.TextChoices):
        """What can be done with a value: a retract of it, and an amend."""

        FORGET = "forget"
        REPLACE = "replace"

    content_id = models.UUIDField()
    recorder_kind = models.TextField()
    recorded_by = models.UUIDField()
    recorder = models.TextField()
    recorded_at = models.DateTimeField(default=timezone.now)
    retention = models.TextField(choices=Retention.choices, default=Retention.RELATIONSHIP)

    def __str__(self) -> str:
        return f"value {self.id}"


class Guard(TenantModel, Reach):
    """The guard of a value that is forgotten or replaced now, with the same id: how texts that say it are found. It has
    keyed digests only, so it still works after the words are erased. The refold of the value updates this table; only
    the gate's role reads it."""

    digest = models.BinaryField(max_length=32)
    cue = models.BigIntegerField()  # its longest word, as a number
    cue_place = models.IntegerField()  # counted in words, from 1
    length = models.IntegerField()  # in words
    instead_id = models.UUIDField(null=True)  # the content row of the new words; NULL if the value is forgotten
    applied_at = models.DateTimeField()

    class Meta:
        indexes = [
            models.Index(fields=["tenant", "cue"], name="guard_cue"),
            # whether any value is replaced: what says one is quarantined
            models.Index(fields=["tenant"], name="guard_replaces", condition=models.Q(instead_id__isnull=False)),
        ]

    def __str__(self) -> str:
        return f"guard {self.id}"


class Rewording(TenantModel):
    """What guards made of a text: the content row with this id is the text of another content row, or of a span of it,
    without the words of `value_ids`. Readers get it instead. Once an erasure by value has deleted the other text, this
    is all that is left of it, and the redaction entry has its hash."""

    content_id = models.UUIDField()
    span_start = models.IntegerField(null=True)
    span_end = models.IntegerField(null=True)
    #: The chunk, event, decision, task, artifact or capsule.
    record_id = models.UUIDField()
    value_ids = ArrayField(models.UUIDField())

    class Meta:
        indexes = [
            models.Index(fields=["tenant", "content_id"], name="rewording_of"),
            models.Index(fields=["tenant", "record_id"], name="rewording_record"),
            GinIndex(fields=["value_ids"], name="rewording_values"),
        ]

    def __str__(self) -> str:
        return f"rewording of {self.content_id}"


class PendingRewording(TenantModel):
    """A chunk that says a value that was just forgotten or replaced, or that says it again because that was reverted:
    it is in no answer until it is folded again. The id is the chunk's."""

    value_id = models.UUIDField()

    class Meta:
        indexes = [models.Index(fields=["tenant", "value_id"], name="pending_rewording_value")]

    def __str__(self) -> str:
        return f"chunk {self.id}"
