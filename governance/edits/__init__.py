"""Edits: proposed under the policy, decided by people, applied by the gate."""

from governance.edits.operations import OPERATIONS, Operation
from governance.edits.patches import (
    Patch,
    PatchDoesNotFit,
    check_patch,
    new_salt,
    patch_hash,
    words_in,
)
from governance.edits.preview import Preview, Reviewed, preview_edit, review_edit
from governance.edits.proposals import BatchItem, BatchOutcome, Proposal, propose_edit, propose_edits, revert_edit
from governance.edits.verdicts import (
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
    "OPERATIONS",
    "BatchItem",
    "BatchOutcome",
    "EditIsStale",
    "EditNotPending",
    "NoSuchEdit",
    "NotAReviewer",
    "NotYourEdit",
    "Operation",
    "Outcome",
    "OwnEdit",
    "Patch",
    "PatchDoesNotFit",
    "Preview",
    "Proposal",
    "Reviewed",
    "TargetHasChanged",
    "approve_edit",
    "check_patch",
    "decide_edit",
    "expire_edits",
    "new_salt",
    "patch_hash",
    "pending",
    "preview_edit",
    "propose_edit",
    "propose_edits",
    "reject_edit",
    "revert_edit",
    "review_edit",
    "withdraw_edit",
    "words_in",
]
