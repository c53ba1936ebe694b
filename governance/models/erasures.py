"""Lawful erasure: the frozen proposal, its state, and the erased texts."""

from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from governance.models.tenancy import AppendOnlyModel, TenantForeignKey, TenantModel, TenantOneToOneField


class Erasure(AppendOnlyModel):
    """A proposal to erase. Written by the gate function `propose_erasure`; its status is `ErasureState`."""

    class By(models.TextChoices):
        CHUNK = "chunk"  # the whole memory that the chunk is part of
        EVENT = "event"
        SUBJECT = "subject"  # everything about a subject
        AGENT = "agent"  # everything that an agent recorded, and the texts that it proposed
        VALUE = "value"  # the texts that say a value that is forgotten; what else they say is kept

    created_at = models.DateTimeField(default=timezone.now)
    named_by = models.TextField(choices=By.choices)
    target_id = models.UUIDField(null=True)  # of the chunk, the event, the agent or the value
    subject_type = models.TextField(null=True)
    subject_id = models.TextField(null=True)
    reason = models.TextField()
    proposed_by = models.UUIDField()
    proposer = models.TextField()  # the name at that time

    class Meta(AppendOnlyModel.Meta):
        indexes = [models.Index(fields=["tenant", "-created_at", "-id"], name="erasure_newest")]
        constraints = [
            # the target of a state's key: the proposal with its proposer
            models.UniqueConstraint(fields=["tenant", "id", "proposed_by"], name="erasure_as_proposed"),
            models.CheckConstraint(
                condition=Q(
                    named_by="subject", target_id__isnull=True, subject_type__isnull=False, subject_id__isnull=False
                )
                | Q(
                    named_by__in=["chunk", "event", "agent", "value"],
                    target_id__isnull=False,
                    subject_type__isnull=True,
                    subject_id__isnull=True,
                ),
                name="erasure_names_one_thing",
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="erasure_has_reason"),
        ]

    def __str__(self) -> str:
        return f"erasure {self.id}"


class ErasureState(TenantModel):
    """The state of an erasure; the row that a decision locks. Written by gate functions."""

    class Status(models.TextChoices):
        PENDING = "pending"  # -> approved, rejected, withdrawn
        APPROVED = "approved"  # -> executed, in the same transaction, so no reader sees it
        EXECUTED = "executed"
        REJECTED = "rejected"
        WITHDRAWN = "withdrawn"

    id = None  # type: ignore[assignment] # its erasure is its key
    erasure = TenantOneToOneField(Erasure, models.PROTECT, primary_key=True, related_name="state")
    status = models.TextField(choices=Status.choices)
    proposed_by = models.UUIDField()
    decided_by = models.UUIDField(null=True)
    decider = models.TextField(null=True)
    decided_at = models.DateTimeField(null=True)
    decision_reason = models.TextField(default="")

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(status__in=["pending", "approved", "executed", "rejected", "withdrawn"]),
                name="erasure_status_known",
            ),
            models.CheckConstraint(
                condition=Q(status="pending", decided_by__isnull=True)
                | Q(status="withdrawn", decided_by__isnull=False, decided_by=F("proposed_by"))
                | Q(status__in=["approved", "executed", "rejected"], decided_by__isnull=False)
                & ~Q(decided_by=F("proposed_by")),
                name="erasure_decided_by_another",
            ),
        ]

    def __str__(self) -> str:
        return self.status


class ErasureItem(AppendOnlyModel):
    """A record whose text was erased: one row for each of its content rows."""

    erasure = TenantForeignKey(Erasure)
    kind = models.TextField()  # event, chunk, decision, task, artifact, value, edit; other apps have others
    record_id = models.UUIDField()
    content_id = models.UUIDField()
    sha256 = models.BinaryField(max_length=32)

    class Meta(AppendOnlyModel.Meta):
        constraints = [
            models.UniqueConstraint(fields=["tenant", "erasure", "record_id", "content_id"], name="erasure_item_once")
        ]
        indexes = [
            models.Index(fields=["tenant", "content_id"], name="erasure_item_content"),  # the guard of content
            models.Index(fields=["tenant", "record_id"], name="erasure_item_record"),  # is this record erased
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.record_id}"
