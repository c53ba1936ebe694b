"""The tables of governance, one module per noun."""

from governance.models.content import Content, ErasedContent
from governance.models.edits import Edit, EditState, Verdict
from governance.models.erasures import Erasure, ErasureItem, ErasureState
from governance.models.figures import DayFigure
from governance.models.fingerprints import SchemaFingerprint
from governance.models.idempotency import IdempotencyKey
from governance.models.ledger import (
    AccessRecord,
    Chain,
    Entry,
    Leaf,
    MerkleTree,
    OwedEntry,
    Receipt,
    TreeNode,
    UnsealedReceipt,
)
from governance.models.people import Agent, ApiKey, Invitation, Membership, User
from governance.models.policies import PolicyChange, PolicyChangeState, PolicyRule
from governance.models.relations import (
    Audience,
    AudienceRule,
    AudienceUserset,
    ImpliedRelation,
    RelationRevocation,
    RelationTuple,
)
from governance.models.second_factors import Authenticator, RecoveryCodes
from governance.models.secrets import SharedSecret
from governance.models.tenancy import (
    AppendOnlyModel,
    Channel,
    SealedModel,
    SearchLanguage,
    Sensitivity,
    Tenant,
    TenantForeignKey,
    TenantModel,
    TenantOneToOneField,
    first_id_of,
    new_id,
)

__all__ = [
    "AccessRecord",
    "Agent",
    "ApiKey",
    "AppendOnlyModel",
    "Audience",
    "AudienceRule",
    "AudienceUserset",
    "Authenticator",
    "Chain",
    "Channel",
    "Content",
    "DayFigure",
    "Edit",
    "EditState",
    "Entry",
    "ErasedContent",
    "Erasure",
    "ErasureItem",
    "ErasureState",
    "IdempotencyKey",
    "ImpliedRelation",
    "Invitation",
    "Leaf",
    "Membership",
    "MerkleTree",
    "OwedEntry",
    "PolicyChange",
    "PolicyChangeState",
    "PolicyRule",
    "Receipt",
    "RecoveryCodes",
    "RelationRevocation",
    "RelationTuple",
    "SchemaFingerprint",
    "SealedModel",
    "SearchLanguage",
    "Sensitivity",
    "SharedSecret",
    "Tenant",
    "TenantForeignKey",
    "TenantModel",
    "TenantOneToOneField",
    "TreeNode",
    "UnsealedReceipt",
    "User",
    "Verdict",
    "first_id_of",
    "new_id",
]
