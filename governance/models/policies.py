"""Approval policy, as data: how many people must approve an edit before it takes effect."""

from django.db import models
from django.db.models import Q

from governance.models.tenancy import TenantModel


class PolicyRule(TenantModel):
    """For an operation by a kind of proposer on a target of a sensitivity (NULL: any): approvals needed.

    The most specific rule governs; without any rule two approvals are needed.
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
            models.CheckConstraint(
                condition=Q(op__in=["retract", "amend", "quarantine", "attenuate", "block", "revert"]),
                name="policy_rule_op_known",
            ),
            models.CheckConstraint(
                condition=Q(proposer_kind__in=["human", "agent"]), name="policy_rule_proposer_known"
            ),
            models.CheckConstraint(condition=Q(approvals__range=(0, 2)), name="policy_rule_approvals_known"),
        ]

    def __str__(self) -> str:
        return f"{self.op} by {self.proposer_kind}: {self.approvals}"
