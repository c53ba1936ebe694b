"""The usage of memory and its life cycle: sessions, outcomes, confidence, tiers."""

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q

from governance.models import SealedModel, TenantModel
from memory.models.scoped import Tier

_SHARE = [MinValueValidator(0), MaxValueValidator(1)]


class ChunkSession(TenantModel):
    """The number of deliveries of a chunk to agents within one session, counted by the job that records deliveries."""

    chunk_id = models.UUIDField()
    session_id = models.TextField()
    access_count = models.BigIntegerField()
    first_accessed = models.DateTimeField()
    last_accessed = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["tenant", "chunk_id", "session_id"], name="chunk_session_once"),
        ]

    def __str__(self) -> str:
        return f"{self.access_count} accesses of {self.chunk_id} in {self.session_id}"


class Outcome(SealedModel):
    """The outcome of using a chunk in a session, as reported by its user: once of each kind. Written by the gate
    function `record_outcome`."""

    class Result(models.TextChoices):
        SUCCESS = "success"
        FAILURE = "failure"

    chunk_id = models.UUIDField()
    version = models.IntegerField()  # the number of edits applied to the chunk at that time
    outcome = models.TextField(choices=Result.choices)
    session_id = models.TextField()
    note = models.TextField(blank=True, default="")
    reporter_kind = models.TextField()
    reported_by = models.UUIDField()
    reporter = models.TextField()
    at = models.DateTimeField()

    class Meta(SealedModel.Meta):
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "chunk_id", "session_id", "reported_by", "outcome"], name="outcome_once"
            ),
            models.CheckConstraint(condition=Q(outcome__in=["success", "failure"]), name="outcome_known"),
        ]

    def __str__(self) -> str:
        return f"{self.outcome} of {self.chunk_id}"


class ConfidenceChange(SealedModel):
    """A change of the confidence in a chunk: its history. Before the first one it is 0.5."""

    class Kind(models.TextChoices):
        OUTCOME = "outcome"
        DECAY = "decay"
        CONSOLIDATION = "consolidation"
        MANUAL = "manual"

    chunk_id = models.UUIDField()
    number = models.IntegerField()  # the number of this change of the chunk, from 1
    kind = models.TextField(choices=Kind.choices)
    before = models.DecimalField(max_digits=5, decimal_places=4, validators=_SHARE)
    after = models.DecimalField(max_digits=5, decimal_places=4, validators=_SHARE)
    outcome_id = models.UUIDField(null=True)
    is_failure = models.BooleanField(default=False)  # a failed outcome, which restarts the time of confidence
    reason = models.TextField(blank=True, default="")
    changer_kind = models.TextField()
    changed_by = models.UUIDField()
    changer = models.TextField()
    at = models.DateTimeField()

    class Meta(SealedModel.Meta):
        constraints = [
            models.UniqueConstraint(fields=["tenant", "chunk_id", "number"], name="confidence_change_number"),
            models.CheckConstraint(
                condition=Q(kind__in=["outcome", "decay", "consolidation", "manual"]),
                name="confidence_change_kind_known",
            ),
            models.CheckConstraint(
                condition=Q(before__gte=0, before__lte=1, after__gte=0, after__lte=1), name="confidence_change_in_range"
            ),
            models.CheckConstraint(
                condition=Q(kind="outcome", outcome_id__isnull=False)
                | ~Q(kind="outcome") & Q(outcome_id__isnull=True, is_failure=False),
                name="confidence_change_has_outcome",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.before} to {self.after}: {self.kind}"


class Promotion(SealedModel):
    """A move of a chunk from one tier to another. The chunk's tier is that of its last one, else task."""

    class Kind(models.TextChoices):
        AUTOMATIC = "automatic"
        MANUAL = "manual"

    chunk_id = models.UUIDField()
    number = models.IntegerField()  # the number of this move of the chunk, from 1
    kind = models.TextField(choices=Kind.choices)
    from_tier = models.TextField(choices=Tier.choices)
    to_tier = models.TextField(choices=Tier.choices)
    reason = models.TextField()
    evidence = models.JSONField()  # the facts and thresholds of the decision
    promoter_kind = models.TextField()
    promoted_by = models.UUIDField()
    promoter = models.TextField()
    at = models.DateTimeField()

    class Meta(SealedModel.Meta):
        constraints = [
            models.UniqueConstraint(fields=["tenant", "chunk_id", "number"], name="promotion_number"),
            models.CheckConstraint(condition=Q(kind__in=["automatic", "manual"]), name="promotion_kind_known"),
            models.CheckConstraint(
                condition=Q(
                    from_tier__in=["task", "session", "longterm", "archive"],
                    to_tier__in=["task", "session", "longterm", "archive"],
                )
                & ~Q(from_tier=models.F("to_tier")),
                name="promotion_moves",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.from_tier} to {self.to_tier}"


class PromotionCheck(TenantModel):
    """The last evaluation of a chunk without a move. Its id is the chunk's."""

    tier = models.TextField(choices=Tier.choices)
    wanted_tier = models.TextField(choices=Tier.choices)
    failed = models.TextField()  # the criterion that was not met
    evidence = models.JSONField()
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.id} stays in {self.tier}: {self.failed}"


class PromotionDue(TenantModel):
    """A chunk to evaluate from a time on. Its id is the chunk's. Only the gate's role reads it."""

    due_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "promotions due"
        indexes = [models.Index(fields=["tenant", "due_at"], name="promotion_due_at")]

    def __str__(self) -> str:
        return f"{self.id} from {self.due_at}"
