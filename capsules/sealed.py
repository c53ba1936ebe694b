"""Which records of capsules are sealed (governance/ledger/sealed.py)."""

from capsules.models import Capsule, CapsuleAudience, CapsuleItem
from governance.ledger import sealed


def register() -> None:
    """Register the record of capsules to be sealed; the projection can be rebuilt from it and the ledger."""
    sealed.register(
        sealed.SealedKind("capsule", Capsule._meta.db_table),
        sealed.SealedKind("capsule_item", CapsuleItem._meta.db_table),
        sealed.SealedKind("capsule_audience", CapsuleAudience._meta.db_table),
    )
