"""The tables of governance, one module a noun."""

from governance.models.content import Content
from governance.models.edits import Edit, EditState, Verdict
from governance.models.idempotency import IdempotencyKey
from governance.models.ledger import Chain, Entry
from governance.models.people import Agent, ApiKey, Membership, User
from governance.models.policies import PolicyChange, PolicyChangeState, PolicyRule
from governance.models.tenancy import (
    AppendOnlyModel,
    Channel,
    Sensitivity,
    Tenant,
    TenantForeignKey,
    TenantModel,
    TenantOneToOneField,
    new_id,
)

__all__ = [
    "Agent",
    "ApiKey",
    "AppendOnlyModel",
    "Chain",
    "Channel",
    "Content",
    "Edit",
    "EditState",
    "Entry",
    "IdempotencyKey",
    "Membership",
    "PolicyChange",
    "PolicyChangeState",
    "PolicyRule",
    "Sensitivity",
    "Tenant",
    "TenantForeignKey",
    "TenantModel",
    "TenantOneToOneField",
    "User",
    "Verdict",
    "new_id",
]
