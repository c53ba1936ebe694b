"""What the signed entry of a proposed erasure says: who proposed what."""

import uuid
from typing import NamedTuple

from governance.ledger.signed_entries import signed_entries
from governance.models import Erasure, ErasureState
from governance.refusals import Conflict
from suture_verify.entries import Entry

PROPOSED = "erasure.proposed"


class UnprovenErasure(Conflict):
    """The ledger does not prove this erasure, so nobody can decide it."""


class Proposal(NamedTuple):
    """Who proposes to erase what, in the columns of the erasure. Ids are as entries write them."""

    named_by: str
    target_id: str | None
    subject_type: str | None
    subject_id: str | None
    reason: str
    proposed_by: str
    proposer: str

    @classmethod
    def in_entry(cls, entry: Entry) -> "Proposal":
        """What the entry says. Raises KeyError and TypeError for one that no server has signed."""
        said = entry.metadata
        return cls(
            said["by"],
            said["target_id"],
            said["subject_type"],
            said["subject_id"],
            said["reason"],
            said["actor"]["id"],
            said["actor"]["name"],
        )

    @classmethod
    def in_row(cls, erasure: Erasure) -> "Proposal":
        """What the row says."""
        return cls(
            erasure.named_by,
            str(erasure.target_id) if erasure.target_id else None,
            erasure.subject_type,
            erasure.subject_id,
            erasure.reason,
            str(erasure.proposed_by),
            erasure.proposer,
        )


def require_proven(erasure: Erasure, state: ErasureState, *, may_lack_entry: bool = False) -> None:
    """Refuse a decision on an erasure that is not what an entry with this server's signature proposes. Somebody may
    have changed who proposed it, to decide their own.

    With `may_lack_entry`, one that no such entry proposes passes: a rejection destroys nothing, and without it an
    erasure whose entry a removed key has signed would be pending for good. Raises UnprovenErasure, SigningKeyUnusable.
    """
    proposal = _signed_proposal(erasure.tenant_id, erasure.id)
    if proposal is None and may_lack_entry:
        return
    if proposal is None:
        raise UnprovenErasure(
            "No entry of the ledger that a key of this server has signed proposes this erasure. Nothing was erased. If"
            " the signing key was changed since, reject or withdraw the erasure, and propose it again. Otherwise ask"
            " the operator to run `manage.py verify_chain`."
        )
    found = Proposal.in_row(erasure)
    wrong = [name for name, one, other in zip(Proposal._fields, found, proposal, strict=True) if one != other]
    if not wrong and str(state.proposed_by) != proposal.proposed_by:
        wrong = ["proposed_by"]
    if wrong:
        raise UnprovenErasure(
            f"The database and the ledger differ about this erasure ({', '.join(wrong)}). Nothing was decided. Ask the"
            " operator to run `manage.py verify_chain`."
        )


def _signed_proposal(tenant_id: uuid.UUID, erasure_id: uuid.UUID) -> Proposal | None:
    """What the first signed entry about the erasure says; None if there is none."""
    for entry in signed_entries(tenant_id, PROPOSED, metadata__erasure=str(erasure_id)):
        try:
            if entry.metadata["erasure"] == str(erasure_id):
                return Proposal.in_entry(entry)
        except (KeyError, TypeError):
            continue
    return None
