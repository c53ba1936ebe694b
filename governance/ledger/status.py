"""Check that the ledger of every tenant can be written, sealed and published. A server does this when it starts."""

import logging
import uuid
from datetime import datetime
from typing import NamedTuple

from django.core.cache import cache
from redis.exceptions import RedisError

from governance.acting import gate
from governance.ledger import db, fingerprints, keyring, published_tree_heads, unpublished_entries, verified_until
from governance.ledger.schema_differences import differences
from governance.ledger.signed_entries import signed_entries
from governance.models import Chain, Entry, MerkleTree
from governance.refusals import Halted, Refusal
from suture_verify.following import UnverifiedEntry

logger = logging.getLogger("suture.ledger")

_SEALED_UNTIL = "ledger:sealed-until"


def obstacles() -> dict[str, str]:
    """The reasons why writes are refused, by tenant slug; each says what to do.

    A chain must be signed by a key that is here, and the database must contain the last published tree head.
    """
    found: dict[str, str] = {}
    for slug, tenant_id in gate.tenants().items():
        try:
            with gate.tenant(tenant_id):
                published_tree_heads.require_not_behind(tenant_id)
                pinned = Chain.objects.filter(tenant_id=tenant_id).values_list("public_key", flat=True)
                for public in {bytes(key) for key in pinned if key is not None}:
                    keyring.signer_of(public)
        except Refusal as refusal:
            found[slug] = refusal.for_operator
    return found


def alarms() -> dict[str, str]:
    """The reasons why nothing is sealed or published, by tenant slug: the alarms of the periodic task, and faults found
    now in the entries that no tree head covers."""
    found: dict[str, str] = {}
    for slug, tenant_id in gate.tenants().items():
        with gate.tenant(tenant_id):
            reason = MerkleTree.objects.filter(tenant_id=tenant_id).values_list("alarm", flat=True).first()
            try:
                unpublished_entries.require_signed(tenant_id)
            except UnverifiedEntry as unverified:
                reason = str(unverified)
            except Refusal:
                pass  # one of the obstacles
        if reason:
            found[slug] = reason
    return found


def schema_problems() -> list[str]:
    """The differences of the catalog from the newest signed fingerprint, and the ledgers that name a missing or
    unsigned one. Raises NoFingerprint if none is signed and no ledger names one, SigningKeyUnusable."""
    problems: list[str] = []
    named: dict[str, bool] = {}
    for slug, tenant_id in gate.tenants().items():
        with gate.tenant(tenant_id):
            entries = Entry.objects.filter(tenant_id=tenant_id, type=fingerprints.ENTRY).order_by("-id")
            digest = entries.values_list("metadata__fingerprint", flat=True).first()
            if digest is None:
                continue
            if digest not in named:
                named[digest] = fingerprints.with_digest(str(digest)) is not None
            if not named[digest]:
                problems.append(f"the signed fingerprint {digest}, which the ledger of {slug} names, is missing")
    try:
        signed = fingerprints.newest()
    except fingerprints.NoFingerprint:
        if not named:
            raise
        return problems or [f"no key of this server has signed the fingerprint {digest}" for digest in named]
    return problems + [one.detail for one in differences(signed.objects, fingerprints.read("default"))]


class Verification(NamedTuple):
    """The time of a verification of a tenant's ledger, and its number of findings."""

    at: datetime
    findings: int


def last_verification(tenant_id: uuid.UUID, tree: MerkleTree | None) -> Verification | None:
    """The last verification of a tenant's ledger with this tree; None if there was none. Called within the tenant.

    A result without findings needs a signed entry, or the signed note outside the database. A result with findings may
    also come from the row of the tree, since a ledger that was tampered with may accept no entry.
    """
    known: list[Verification] = []
    try:
        if entry := next(signed_entries(tenant_id, "ledger.verified", newest_first=True), None):
            known.append(Verification(entry.ts, int(entry.metadata["findings"])))
    except Halted:
        pass  # one of the obstacles
    if note := verified_until.last(tenant_id):
        known.append(Verification(note.at, 0))
    if tree and tree.verified_at and tree.findings:
        known.append(Verification(tree.verified_at, tree.findings))
    return max(known, default=None)


def set_alarm(tenant_id: uuid.UUID, reason: str | None) -> None:
    """Store why sealing and publishing stopped for a tenant, for readiness and the home page; None if they work
    again."""
    with gate.job(tenant_id, "seal"):
        db.set_ledger_alarm(tenant=tenant_id, reason=reason)


def count_alarms() -> int:
    """The number of tenants whose sealing and publishing stopped."""
    return db.count_ledger_alarms()


def note_sealed(until: datetime) -> None:
    """Store in the cache, for the web servers, that all rows recorded before `until` are sealed and published in every
    tenant."""
    try:
        cache.set(_SEALED_UNTIL, until.isoformat(), timeout=None)
    except (RedisError, OSError):
        logger.exception("could not store how far the ledgers are sealed")  # readiness reports an unreachable broker


def sealed_until() -> datetime | None:
    """The last time that any worker stored by note_sealed(); None if unknown."""
    found: str | None = cache.get(_SEALED_UNTIL)
    return datetime.fromisoformat(found) if found else None
