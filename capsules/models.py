"""The tables of capsules: the record, append-only, and the projection that readers see."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils import timezone

from governance.models import Agent, SealedModel, TenantForeignKey, TenantModel
from memory.models import Scope


class CapsuleFields(models.Model):
    """The subject, author and expiry of a capsule. `expires_at` never changes."""

    scope = models.TextField(choices=Scope.choices)
    subject_type = models.TextField()
    subject_id = models.TextField()
    project_id = models.TextField(null=True)
    author_kind = models.TextField()
    authored_by = models.UUIDField()
    author = models.TextField()  # the name at that time
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()
    # that of its most sensitive item; it decides who may read the note and the risks
    sensitivity = models.TextField()
    may_forward = models.BooleanField(default=False)
    note_id = models.UUIDField(null=True)
    risks_id = models.UUIDField(null=True)  # the JSON of a list of texts

    class Meta:
        abstract = True


class Capsule(SealedModel, CapsuleFields):
    """The record of a capsule, written by the gate functions `record_capsule` and `forward_capsule`. A forwarded
    capsule has the text of the original."""

    ttl_days = models.IntegerField()
    forwards = TenantForeignKey("self", null=True)

    class Meta(SealedModel.Meta):
        indexes = [
            # the capsules forwarded from one, for revocation and refold
            models.Index(fields=["tenant", "forwards"], name="capsule_forwards", condition=Q(forwards__isnull=False)),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(scope__in=["session", "user", "project", "policy", "global"]), name="capsule_scope_known"
            ),
            models.CheckConstraint(condition=Q(ttl_days__range=(1, 365)), name="capsule_ttl_in_range"),
            models.CheckConstraint(condition=Q(author_kind__in=["agent", "human"]), name="capsule_author_known"),
            models.CheckConstraint(
                condition=Q(sensitivity__in=["none", "low", "high", "secret"]), name="capsule_sensitivity_known"
            ),
        ]

    def __str__(self) -> str:
        return f"capsule {self.id}"


class CapsuleItem(SealedModel):
    """A memory in a capsule, by its id. A capsule contains no copy of its text."""

    class Kind(models.TextChoices):
        CHUNK = "chunk"
        DECISION = "decision"
        ARTIFACT = "artifact"

    capsule = TenantForeignKey(Capsule)
    position = models.IntegerField()  # the place in the author's order
    kind = models.TextField(choices=Kind.choices)
    item_id = models.UUIDField()

    class Meta(SealedModel.Meta):
        constraints = [
            # the items of a capsule, in order
            models.UniqueConstraint(fields=["tenant", "capsule", "position"], name="capsule_item_position"),
            # each item once in a capsule; also finds the capsules that hold an item
            models.UniqueConstraint(fields=["tenant", "item_id", "capsule"], name="capsule_item_once"),
            models.CheckConstraint(
                condition=Q(kind__in=["chunk", "decision", "artifact"]), name="capsule_item_kind_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.item_id}"


class CapsuleAudience(SealedModel):
    """One agent that a capsule is for. `expires_at` is copied from the capsule, so that the index can skip expired
    ones."""

    capsule = TenantForeignKey(Capsule)
    agent = TenantForeignKey(Agent)
    expires_at = models.DateTimeField()

    class Meta(SealedModel.Meta):
        indexes = [models.Index(fields=["tenant", "capsule"], name="capsule_audience_capsule")]  # its agents
        constraints = [
            # the capsules of an agent, newest first; also whether an agent is in the audience of a capsule
            models.UniqueConstraint(
                fields=["tenant", "agent", "capsule"], include=["expires_at"], name="idx_capsules_audience"
            ),
        ]

    def __str__(self) -> str:
        return f"agent {self.agent_id}"


class EffectiveCapsule(TenantModel, CapsuleFields):
    """A capsule as readers see it: one row per capsule, which the gate functions update in the transaction of each
    change.

    For readers, `expires_at` decides; `status` follows when the job runs.
    """

    class Status(models.TextChoices):
        ACTIVE = "active"  # -> revoked, expired
        REVOKED = "revoked"
        EXPIRED = "expired"

    forwards_id = models.UUIDField(null=True)
    item_count = models.IntegerField()
    audience_count = models.IntegerField()
    status = models.TextField(choices=Status.choices, default=Status.ACTIVE)
    revoked_at = models.DateTimeField(null=True)
    expired_at = models.DateTimeField(null=True)
    warned_at = models.DateTimeField(null=True)
    importance = models.DecimalField(max_digits=5, decimal_places=4)
    is_retracted = models.BooleanField(default=False)
    is_quarantined = models.BooleanField(default=False)
    blocked_channels = ArrayField(models.TextField(), default=list)
    edits_applied = models.IntegerField(default=0)

    class Meta:
        indexes = [
            # active capsules about a subject, newest first
            models.Index(
                fields=["tenant", "subject_type", "subject_id", "-id"],
                name="idx_capsules_tenant_subject",
                condition=Q(status="active", is_retracted=False),
            ),
            # what expires next: the job, and the warnings
            models.Index(fields=["tenant", "expires_at"], name="idx_capsules_expires", condition=Q(status="active")),
            # one author's, newest first, in every status
            models.Index(fields=["tenant", "authored_by", "-id"], name="effective_capsule_authored"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(status="active", revoked_at__isnull=True, expired_at__isnull=True)
                | Q(status="revoked", revoked_at__isnull=False, expired_at__isnull=True)
                | Q(status="expired", revoked_at__isnull=True, expired_at__isnull=False),
                name="effective_capsule_status_whole",
            ),
            models.CheckConstraint(condition=Q(importance__range=(0, 1)), name="effective_capsule_importance_in_range"),
        ]

    def __str__(self) -> str:
        return f"effective capsule {self.id}"
