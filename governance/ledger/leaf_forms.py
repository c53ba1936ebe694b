"""The leaf forms of governance's own records (suture_verify/leaves.py)."""

from suture_verify.leaves import LeafForm, Words, columns, optional

EDIT = LeafForm(
    "edit/1",
    *columns("created_at:moment target_type target_id:uuid op reason proposer_kind proposed_by:uuid proposer"),
    Words("content_id"),
    *columns("importance:number importance_delta:number channel reverts_id:uuid patch_sha256:bytes"),
    *columns("approvals_required:integer policy batch_id:uuid"),
    *optional("audience:integers"),
)
VERDICT = LeafForm(
    "verdict/1",
    *columns("edit_id:uuid decision decider_kind decided_by:uuid decider decided_at:moment reason proposed_by:uuid"),
    *columns("patch_sha256:bytes"),
)
ACCESS = LeafForm(
    "access/1",
    *columns("at:moment actor_kind actor_id:uuid actor action target_type target_id:uuid outcome details:json"),
)
_RECORDER = columns("reason recorder_kind recorded_by:uuid recorder recorded_at:moment")
RELATION_TUPLE = LeafForm(
    "relation_tuple/1",
    *columns("principal relation object valid_from:moment valid_until:moment"),
    *_RECORDER,
)
RELATION_REVOCATION = LeafForm("relation_revocation/1", *columns("tuple_id:uuid principal"), *_RECORDER)
AUDIENCE = LeafForm("audience/1", *columns("number:integer usersets:texts created_at:moment"))
