"""The approval policy: how many people must approve an edit before it takes effect."""

from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from governance.models.edits import Edit
from governance.models.tenancy import AppendOnlyModel, TenantModel, TenantOneToOneField

#: Rules for agents that are not operations (preset_rules in the database): an agent's own decision of scope policy or
#: global, the retract of what it alone recorded, and edits of what a person recorded or decided on.
DECIDE, OWN, PROTECTED = AGENT_RULES = ("decide", "own", "protected")
#: The operations with rules. For an edit of the audience, other rules decide (approvals_of_edit in the database).
RULED = [op for op in Edit.Op.values if op != Edit.Op.AUDIENCE]
OPS = [*RULED, *AGENT_RULES]
#: Defined in governance/sql/functions/preset_rules.sql.
PRESETS = ["standard", "strict", "open"]


class PolicyRule(TenantModel):
    """The approvals needed for an operation by a kind of proposer on a target of a sensitivity (NULL: any).

    The most specific rule wins. Without a rule, an edit needs two approvals and a decision none.
    """

    op = models.TextField()
    proposer_kind = models.TextField()
    sensitivity = models.TextField(null=True, blank=True)
    approvals = models.SmallIntegerField()  # 0 auto, 1 one, 2 two

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "op", "proposer_kind", "sensitivity"],
                name="policy_rule_once",
                nulls_distinct=False,
            ),
            models.CheckConstraint(condition=Q(op__in=OPS), name="policy_rule_op_known"),
            models.CheckConstraint(
                condition=Q(proposer_kind__in=["human", "agent"]), name="policy_rule_proposer_known"
            ),
            models.CheckConstraint(condition=Q(approvals__range=(0, 2)), name="policy_rule_approvals_known"),
        ]

    def __str__(self) -> str:
        return f"{self.op} by {self.proposer_kind}: {self.approvals}"


class PolicyChange(AppendOnlyModel):
    """A proposed policy: a preset, and the tenant's overrides. `needs_second`: it weakens the policy that it replaces,
    or replaces `strict`."""

    created_at = models.DateTimeField(default=timezone.now)
    preset = models.TextField()
    overrides = models.JSONField(default=list)  # [{op, proposer_kind, sensitivity, approvals}]
    promotion = models.JSONField(null=True)  # promotion thresholds to change, by name
    reason = models.TextField()
    proposed_by = models.UUIDField()
    proposer = models.TextField()
    needs_second = models.BooleanField()

    class Meta(AppendOnlyModel.Meta):
        indexes = [models.Index(fields=["tenant", "-created_at", "-id"], name="policy_change_newest")]
        constraints = [
            models.CheckConstraint(condition=Q(preset__in=PRESETS), name="policy_change_preset_known"),
            models.CheckConstraint(condition=~Q(reason=""), name="policy_change_has_reason"),
        ]

    def __str__(self) -> str:
        return f"{self.preset} by {self.proposer}"


class PolicyChangeState(TenantModel):
    """The state of a proposed policy; the row that a decision locks."""

    class Status(models.TextChoices):
        PENDING = "pending"  # -> applied, rejected
        APPLIED = "applied"
        REJECTED = "rejected"

    id = None  # type: ignore[assignment]
    change = TenantOneToOneField(PolicyChange, models.PROTECT, primary_key=True, related_name="state")
    status = models.TextField(choices=Status.choices)
    proposed_by = models.UUIDField()
    needs_second = models.BooleanField()
    # When it takes effect without a second admin, unless it is rejected; NULL: never.
    takes_effect_at = models.DateTimeField(null=True)
    decided_by = models.UUIDField(null=True)
    decider = models.TextField(null=True)
    decided_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(status__in=["pending", "applied", "rejected"]), name="policy_change_status_known"
            ),
            models.CheckConstraint(
                condition=Q(status="pending", decided_by__isnull=True)
                | Q(status__in=["applied", "rejected"], decided_by__isnull=False),
                name="policy_change_decided_by_somebody",
            ),
            models.CheckConstraint(
                condition=~Q(status="applied")
                | Q(needs_second=False)
                | Q(needs_second=True, decided_by__isnull=False) & ~Q(decided_by=F("proposed_by")),
                name="policy_change_decided_by_another",
            ),
        ]

    def __str__(self) -> str:
        return self.status
