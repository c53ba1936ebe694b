"""The signed ledger entry of a proposed erasure: its proposer and its target."""

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
    """The proposer and target of an erasure, by column of the erasure. Ids have the format of entries."""

    named_by: str
    target_id: str | None
    subject_type: str | None
    subject_id: str | None
    reason: str
    proposed_by: str
    proposer: str

    @classmethod
    def in_entry(cls, entry: Entry) -> "Proposal":
        """The proposal in an entry. Raises KeyError and TypeError for an entry that no server has signed."""
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
        """The proposal in a row."""
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
    """Refuse a decision on an erasure whose row differs from its entry signed by this server. An attacker could change
    the proposer in order to approve their own erasure.

    With `may_lack_entry`, an erasure without such an entry passes: a rejection deletes nothing, and otherwise an
    erasure whose entry was signed by a removed key would stay pending forever. Raises UnprovenErasure,
    SigningKeyUnusable.
    """
    proposal = _signed_proposal(erasure.tenant_id, erasure.id)
    if proposal is None and may_lack_entry:
        return
    if proposal is None:
        raise UnprovenErasure(
            "The ledger has no entry that proposes this erasure and is signed by this server. Nothing was erased. If"
            " the signing key has changed since, reject or withdraw the erasure and propose it again. Otherwise ask"
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
    """The proposal in the first signed entry about the erasure; None if there is none."""
    for entry in signed_entries(tenant_id, PROPOSED, metadata__erasure=str(erasure_id)):
        try:
            if entry.metadata["erasure"] == str(erasure_id):
                return Proposal.in_entry(entry)
        except (KeyError, TypeError):
            continue
    return None
