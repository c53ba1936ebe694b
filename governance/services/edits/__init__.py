"""Edits: proposed under the policy, decided by people, applied by the gate."""

from governance.services.edits.patches import PATCH_FIELDS, Patch, PatchDoesNotFit, check_patch, patch_hash
from governance.services.edits.preview import Preview, preview_edit
from governance.services.edits.proposals import (
    BatchItem,
    BatchOutcome,
    Proposal,
    propose_edit,
    propose_edits,
    revert_edit,
)
from governance.services.edits.verdicts import (
    EditIsStale,
    EditNotPending,
    NoSuchEdit,
    NotAReviewer,
    NotYourEdit,
    Outcome,
    OwnEdit,
    TargetHasChanged,
    approve_edit,
    decide_edit,
    expire_edits,
    pending,
    reject_edit,
    withdraw_edit,
)

__all__ = [
    "PATCH_FIELDS",
    "BatchItem",
    "BatchOutcome",
    "EditIsStale",
    "EditNotPending",
    "NoSuchEdit",
    "NotAReviewer",
    "NotYourEdit",
    "Outcome",
    "OwnEdit",
    "Patch",
    "PatchDoesNotFit",
    "Preview",
    "Proposal",
    "TargetHasChanged",
    "approve_edit",
    "check_patch",
    "decide_edit",
    "expire_edits",
    "patch_hash",
    "pending",
    "preview_edit",
    "propose_edit",
    "propose_edits",
    "reject_edit",
    "revert_edit",
    "withdraw_edit",
]
