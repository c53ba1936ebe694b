"""The entries about edits and approval policies."""

from governance.ledger.entry_types import (
    FLAG,
    HASH,
    ID,
    LIST,
    MOMENT,
    NUMBER,
    OBJECT,
    TEXT,
    EntryType,
    Field,
    Presence,
)
from suture_verify.entries import EDITS_PROPOSED

_EDIT = Field("edit", ID, "the edit")
_VERDICT = Field("verdict", ID, "the verdict")
_OP = Field("op", TEXT, "the operation")
_TARGET_TYPE = Field("target_type", TEXT, "the kind of the target")
_PATCH = Field("patch_sha256", HASH, "the hash of the patch")
_REASON = Field("reason", TEXT, "the reason")
_IN_EFFECT = Field("in_effect", FLAG, "whether the edit is in effect now")
_APPROVALS_REQUIRED = Field("approvals_required", NUMBER, "how many approvals the edit needs")
_ABOUT = ("target_id", "edit")


def _sometimes(field: Field, meaning: str = "") -> Field:
    return Field(field.name, field.shape, meaning or field.meaning, Presence.OPTIONAL)


_BY_RULE = " (absent if a rule of the policy approved)"
_POLICY = (
    Field("policy", TEXT, "the preset"),
    Field("overrides", LIST, "the rules that differ from the preset"),
    Field("promotion", OBJECT, "the thresholds of promotion that change, by name", Presence.OPTIONAL),
)
_CHANGE = Field("change", ID, "the proposed change")


TYPES = (
    EntryType(
        "edit.proposed",
        "Edit proposed",
        "an agent or person proposes an edit",
        (
            _EDIT,
            _OP,
            _TARGET_TYPE,
            Field("target_id", ID, "the target"),
            _PATCH,
            _REASON,
            Field("policy", TEXT, "the rule of the policy that decides how many approvals the edit needs"),
            _APPROVALS_REQUIRED,
        ),
        _ABOUT,
    ),
    EntryType(
        EDITS_PROPOSED,
        "Edits proposed",
        "an agent or person proposes many edits in one call: one entry for all edits that propose the same change",
        (
            Field("batch", ID, "the batch"),
            Field("count", NUMBER, "how many edits the batch has"),
            _OP,
            _TARGET_TYPE,
            _REASON,
            _IN_EFFECT,
            Field("edits", LIST, "the ids of the edits"),
            Field("targets", LIST, "the ids of their targets, in the same order"),
            Field("patches", LIST, "the hashes of their patches, in the same order"),
            Field("approvals_required", NUMBER, "how many approvals each of them needs"),
            Field(
                "applied_at",
                LIST,
                "the times of their application, in the same order, if they are in effect",
                Presence.OPTIONAL,
            ),
        ),
    ),
    EntryType(
        "edit.approved",
        "Edit approved",
        "a reviewer or a rule approves an edit",
        (
            _EDIT,
            _sometimes(_VERDICT, _VERDICT.meaning + _BY_RULE),
            _sometimes(_PATCH, "the hash of the patch that was approved"),
            _sometimes(_REASON),
            _IN_EFFECT,
            Field("applied_at", MOMENT, "when the edit was applied, if a proposal or a verdict did", Presence.OPTIONAL),
            Field("decided_by", TEXT, "the rule that approved, as `policy:<name>`", Presence.OPTIONAL),
            _sometimes(_OP, "the operation, if the proposal of the edit has no entry"),
            _sometimes(_TARGET_TYPE, "the kind of the target, if the proposal of the edit has no entry"),
            Field("target_id", ID, "the target, if the proposal of the edit has no entry", Presence.OPTIONAL),
        ),
        _ABOUT,
    ),
    EntryType(
        "edit.rejected",
        "Edit rejected",
        "a reviewer rejects an edit",
        (_EDIT, _VERDICT, Field("patch_sha256", HASH, "the hash of the patch that was rejected"), _REASON, _IN_EFFECT),
        _ABOUT,
    ),
    EntryType("edit.withdrawn", "Edit withdrawn", "the proposer withdraws an edit", (_EDIT, _VERDICT, _REASON), _ABOUT),
    EntryType(
        "edit.expired",
        "Edit expired",
        "a pending edit was not decided in time, or its text was erased",
        (_EDIT, _VERDICT, _REASON),
        _ABOUT,
    ),
    EntryType(
        "policy.proposed",
        "Policy change proposed",
        "an admin proposes another approval policy",
        (
            _CHANGE,
            *_POLICY,
            _REASON,
            Field(
                "takes_effect_at",
                MOMENT,
                "when it takes effect unless an admin applies it sooner or rejects it",
                Presence.OPTIONAL,
            ),
        ),
        ("change",),
    ),
    EntryType(
        "policy.changed",
        "Policy changed",
        "another approval policy takes effect",
        (_sometimes(_CHANGE, "the proposed change; absent at the tenant's creation"), *_POLICY, _sometimes(_REASON)),
        ("change",),
    ),
    EntryType(
        "policy.rejected",
        "Policy change rejected",
        "an admin rejects a change of the approval policy",
        (_CHANGE, *_POLICY, _REASON),
        ("change",),
    ),
)
