"""A proposed change to memory, and the verdicts on it."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from governance.models.tenancy import (
    Channel,
    SealedModel,
    TenantForeignKey,
    TenantModel,
    TenantOneToOneField,
)


class Edit(SealedModel):
    """The frozen proposal. Written by the gate function `record_edit`; its status is `EditState`."""

    class Op(models.TextChoices):
        RETRACT = "retract"  # out of all answers
        AMEND = "amend"  # new text, new importance, or both
        QUARANTINE = "quarantine"  # out of retrieval unless asked for
        ATTENUATE = "attenuate"  # importance set or lowered
        BLOCK = "block"  # out of one channel
        AUDIENCE = "audience"  # for other readers
        REVERT = "revert"  # cancels an earlier edit

    class ProposerKind(models.TextChoices):
        HUMAN = "human"
        AGENT = "agent"

    created_at = models.DateTimeField(default=timezone.now)
    target_type = models.TextField()  # a kind that an app registers (governance/edits/targets.py)
    target_id = models.UUIDField()
    op = models.TextField(choices=Op.choices)
    reason = models.TextField()
    proposer_kind = models.TextField(choices=ProposerKind.choices)
    proposed_by = models.UUIDField()
    proposer = models.TextField()  # the name at that time
    # The patch; its text is a content row.
    content_id = models.UUIDField(null=True)
    importance = models.DecimalField(max_digits=5, decimal_places=4, null=True)
    importance_delta = models.DecimalField(max_digits=5, decimal_places=4, null=True)
    channel = models.TextField(null=True, choices=Channel.choices)
    # The number of the audience of an `audience`; empty: the default, the rule of the channel.
    audience = ArrayField(models.IntegerField(), null=True)
    reverts = TenantForeignKey("self", null=True)
    patch_sha256 = models.BinaryField(max_length=32)
    # The policy at proposal time governs this edit permanently.
    approvals_required = models.SmallIntegerField()
    policy = models.TextField()
    batch_id = models.UUIDField(null=True)  # edits proposed in one call

    class Meta(SealedModel.Meta):
        indexes = [
            # the fold of one target
            models.Index(fields=["tenant", "target_id"], name="idx_edits_tenant_target"),
            # GET /edits, newest first
            models.Index(fields=["tenant", "-created_at", "-id"], name="edit_newest"),
            # the edits of one proposer, among a hundred thousand of others
            models.Index(fields=["tenant", "proposed_by"], name="edit_proposer"),
            # the edits of one call
            models.Index(fields=["tenant", "batch_id"], name="edit_batch", condition=Q(batch_id__isnull=False)),
        ]
        constraints = [
            # the target of a verdict's key: the proposal as it was reviewed
            models.UniqueConstraint(fields=["tenant", "id", "proposed_by", "patch_sha256"], name="edit_as_reviewed"),
            models.CheckConstraint(
                condition=Q(op__in=["retract", "amend", "quarantine", "attenuate", "block", "audience", "revert"]),
                name="edit_op_known",
            ),
            models.CheckConstraint(condition=Q(proposer_kind__in=["human", "agent"]), name="edit_proposer_kind_known"),
            models.CheckConstraint(condition=~Q(reason=""), name="edit_has_reason"),
            models.CheckConstraint(condition=Q(approvals_required__range=(0, 2)), name="edit_approvals_required_known"),
            # (expr) IS TRUE is not needed in these: every term tests NULL itself.
            models.CheckConstraint(
                condition=Q(op="amend") & (Q(content_id__isnull=False) | Q(importance__isnull=False))
                | Q(op="attenuate")
                & (Q(importance__isnull=False) ^ Q(importance_delta__isnull=False))
                & Q(content_id__isnull=True)
                | Q(op="block", channel__isnull=False, content_id__isnull=True, importance__isnull=True)
                | Q(op="audience", audience__isnull=False, content_id__isnull=True, importance__isnull=True)
                | Q(op="revert", reverts__isnull=False, content_id__isnull=True, importance__isnull=True)
                | Q(op__in=["retract", "quarantine"], content_id__isnull=True, importance__isnull=True),
                name="edit_patch_fits_op",
            ),
            models.CheckConstraint(
                condition=Q(audience__isnull=True) | Q(op="audience"), name="edit_audience_of_its_op"
            ),
            models.CheckConstraint(
                condition=Q(channel__isnull=True)
                | Q(channel__isnull=False, channel__in=["private", "public", "team", "agent"])
                # hidden from the reads of one agent, its recorder (hide_from_recorder)
                | Q(channel__isnull=False, channel__startswith="agent:"),
                name="edit_channel_known",
            ),
            models.CheckConstraint(
                condition=Q(importance__isnull=True) | Q(importance__range=(0, 1)),
                name="edit_importance_in_range",
            ),
            models.CheckConstraint(
                condition=Q(importance_delta__isnull=True) | Q(importance_delta__range=(-1, 1)),
                name="edit_importance_delta_in_range",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.op} {self.target_type} {self.target_id}"


class Verdict(SealedModel):
    """One decision on an edit, by a person or by the policy. Written by the gate function `record_verdict`."""

    class Decision(models.TextChoices):
        APPROVED = "approved"
        REJECTED = "rejected"
        WITHDRAWN = "withdrawn"  # by its proposer
        EXPIRED = "expired"  # by the policy: not decided in time

    class DeciderKind(models.TextChoices):
        HUMAN = "human"
        AGENT = "agent"  # only withdraws its own proposals
        POLICY = "policy"

    edit = TenantForeignKey(Edit, related_name="verdicts")
    decision = models.TextField(choices=Decision.choices)
    decider_kind = models.TextField(choices=DeciderKind.choices)
    decided_by = models.UUIDField(null=True)
    decider = models.TextField()  # the name at that time; the policy's for a policy
    decided_at = models.DateTimeField()
    reason = models.TextField(default="", blank=True)
    # Copied from the edit and bound to it by a key: the reviewed proposal.
    proposed_by = models.UUIDField()
    patch_sha256 = models.BinaryField(max_length=32)

    class Meta(SealedModel.Meta):
        indexes = [
            # a person's last verdicts
            models.Index(
                fields=["tenant", "decided_by", "-id"],
                name="verdict_of_person",
                condition=Q(decided_by__isnull=False),
            ),
        ]
        constraints = [
            # two approvals come from two people
            models.UniqueConstraint(fields=["tenant", "edit", "decided_by"], name="verdict_once_per_person"),
            models.CheckConstraint(
                condition=Q(decided_by__isnull=True)
                | Q(decision="withdrawn", decided_by=F("proposed_by"))
                | Q(decision__in=["approved", "rejected"]) & ~Q(decided_by=F("proposed_by")),
                name="verdict_decider_is_not_proposer",
            ),
            models.CheckConstraint(
                condition=Q(decision__in=["approved", "rejected", "withdrawn", "expired"]),
                name="verdict_decision_known",
            ),
            models.CheckConstraint(
                condition=Q(decider_kind="human", decided_by__isnull=False)
                | Q(decider_kind="agent", decided_by__isnull=False, decision="withdrawn")
                | Q(decider_kind="policy", decided_by__isnull=True, decision__in=["approved", "expired"]),
                name="verdict_decider_known",
            ),
            models.CheckConstraint(
                condition=~Q(decision="rejected") | ~Q(reason=""), name="verdict_rejection_has_reason"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.decision} by {self.decider}"


class EditState(TenantModel):
    """The status of an edit, derived from its verdicts, for the queue. Written only by gate functions."""

    class Status(models.TextChoices):
        PENDING = "pending"  # -> approved, rejected, withdrawn, expired
        APPROVED = "approved"  # in effect, unless an approved revert cancels it
        REJECTED = "rejected"
        WITHDRAWN = "withdrawn"
        EXPIRED = "expired"

    id = None  # type: ignore[assignment]
    edit = TenantOneToOneField(Edit, models.PROTECT, primary_key=True, related_name="state")
    # The person who issued the key used to propose it, who counts as its proposer (require_second_person).
    held_by = models.UUIDField(null=True)
    # The agent whose limits this edit counts against: one that waited, or that applied at once to another's memory. Of
    # the waiting edits of one call, only the first counts.
    counts_against = models.UUIDField(null=True)
    status = models.TextField(choices=Status.choices)
    approvals = models.SmallIntegerField()
    applied_at = models.DateTimeField(null=True)
    approved_by = models.TextField(null=True)
    created_at = models.DateTimeField()

    class Meta:
        indexes = [
            # the queue, oldest first
            models.Index(fields=["tenant", "created_at"], name="edit_state_pending", condition=Q(status="pending")),
            models.Index(fields=["tenant", "status", "applied_at"], name="idx_edits_tenant_status"),
            # the edits that count against an agent's limits
            models.Index(
                fields=["tenant", "counts_against", "status", "created_at"],
                name="edit_state_counted",
                condition=Q(counts_against__isnull=False),
            ),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(status="approved", applied_at__isnull=False)
                | Q(status__in=["pending", "rejected", "withdrawn", "expired"], applied_at__isnull=True),
                name="edit_state_applied_when_approved",
            ),
        ]

    def __str__(self) -> str:
        return self.status
