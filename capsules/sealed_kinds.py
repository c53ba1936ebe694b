"""Which records of capsules are sealed (governance/ledger/sealed_kinds.py)."""

from capsules.models import Capsule, CapsuleAudience, CapsuleItem
from governance.ledger import sealed_kinds
from suture_verify.leaves import LeafForm, Words, columns

CAPSULE = LeafForm(
    "capsule/1",
    *columns("scope subject_type subject_id project_id author_kind authored_by:uuid author created_at:moment"),
    *columns("expires_at:moment sensitivity may_forward:boolean note_id:uuid"),
    Words("note_id"),
    *columns("risks_id:uuid"),
    Words("risks_id"),
    *columns("ttl_days:integer forwards_id:uuid"),
)
CAPSULE_ITEM = LeafForm("capsule_item/1", *columns("capsule_id:uuid position:integer kind item_id:uuid"))
CAPSULE_AUDIENCE = LeafForm("capsule_audience/1", *columns("capsule_id:uuid agent_id:uuid expires_at:moment"))


def register() -> None:
    """Register the record of capsules to be sealed; the projection can be rebuilt from it and the ledger."""
    sealed_kinds.register(
        sealed_kinds.SealedKind("capsule", Capsule._meta.db_table, CAPSULE),
        sealed_kinds.SealedKind("capsule_item", CapsuleItem._meta.db_table, CAPSULE_ITEM),
        sealed_kinds.SealedKind("capsule_audience", CapsuleAudience._meta.db_table, CAPSULE_AUDIENCE),
    )
