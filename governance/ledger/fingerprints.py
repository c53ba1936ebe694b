"""Signed fingerprints of the database's own guards, as `migrate` left them in the catalog.

A fingerprint is a document (RFC 8785 JSON) of every catalog object that guards the record. The database stores it with
its signature, and the governance chain of each tenant has its hash, in entries `schema.fingerprinted`. Comparing it
with the current catalog reveals every object that was changed without `migrate`.
"""

import hashlib
import json
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import rfc8785
from django.db import connections, transaction
from django.utils import timezone

from governance.acting.credentials import system
from governance.acting.principals import Principal
from governance.database import catalog
from governance.database.catalog import Objects
from governance.database.typed_calls import select
from governance.ledger import appending, keyring
from governance.ledger.comparisons import Comparison
from governance.ledger.schema_differences import Difference, differences, merge
from governance.models import SchemaFingerprint
from governance.refusals import Refusal
from suture_verify.findings import ROWS, Kind, Row
from suture_verify.signatures import is_signed

ENTRY = "schema.fingerprinted"
FORMAT = "suture schema fingerprint 1"

#: Tenants whose entries one transaction appends.
BATCH = 100
#: Maximum number of accepted objects that an entry lists.
NAMED_AT_MOST = 200

#: If two nodes sign at the same time, one waits.
_LOCK = 0x5E7F09

#: Tenants and the fingerprint in the last of these entries, for the owner.
_NAMED_LAST = """
    SELECT t.id AS tenant_id, t.slug::text AS slug, e.fingerprint
    FROM governance_tenant t
    LEFT JOIN LATERAL (
        SELECT e.metadata->>'fingerprint' AS fingerprint FROM governance_entry e
        WHERE e.tenant_id = t.id AND e.type = %s ORDER BY e.id DESC LIMIT 1
    ) e ON true
    ORDER BY t.slug
"""


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """A document with a verified signature, or whose hash is in an entry."""

    digest: bytes
    made_at: datetime
    objects: Objects


@dataclass(frozen=True, slots=True)
class _Named:
    tenant_id: uuid.UUID
    slug: str
    fingerprint: str | None


class NoFingerprint(LookupError):  # noqa: N818 (an answer, as KeyError)
    """There is no fingerprint signed by a key of this server."""


# -- Reading.


@dataclass(slots=True)
class _Read:
    """The catalog as read for one verification of all tenants."""

    catalogs: dict[str, Objects] = field(default_factory=dict)
    differences: dict[str, list[Difference] | None] = field(default_factory=dict)


_read: ContextVar[_Read | None] = ContextVar("catalogs", default=None)


@contextmanager
def reading_once() -> Iterator[None]:
    """Within the block, read the catalog once for all tenants."""
    token = _read.set(_Read())
    try:
        yield
    finally:
        _read.reset(token)


def read(using: str) -> Objects:
    """The current catalog, over the connection `using`."""
    known = _read.get()
    if known is not None and using in known.catalogs:
        return known.catalogs[using]
    with transaction.atomic(using=using), connections[using].cursor() as cursor:
        found = catalog.read(cursor)
    if known is not None:
        known.catalogs[using] = found
    return found


def newest(using: str = "default") -> Fingerprint:
    """The newest fingerprint signed by a key of this server. Raises NoFingerprint, SigningKeyUnusable."""
    signers = keyring.keys(using)
    publics = [key.public for key in signers]
    rows = SchemaFingerprint.objects.using(using)
    # one at a time: each has a hundred kilobytes or more, and the first one is usually the right one
    for digest in list(rows.values_list("digest", flat=True)):
        for row in rows.filter(digest=digest):
            document = bytes(row.document)
            if any(is_signed(document, bytes(row.signature), public) for public in publics):
                found = _parsed(document)
                # the column that orders them is not signed
                if found is not None and found.made_at == row.made_at:
                    return found
    raise NoFingerprint


def with_digest(digest: str, using: str = "default") -> Fingerprint | None:
    """The fingerprint with this hexadecimal hash; None if the database does not have it."""
    try:
        rows = SchemaFingerprint.objects.using(using).filter(digest=bytes.fromhex(digest))
    except ValueError:
        return None
    for row in rows:
        document = bytes(row.document)
        if hashlib.sha256(document).hexdigest() == digest:
            return _parsed(document)
    return None


def _parsed(document: bytes) -> Fingerprint | None:
    fields = json.loads(document)
    if fields.get("format") != FORMAT:
        return None
    moment = datetime.fromisoformat(fields["made_at"])
    return Fingerprint(hashlib.sha256(document).digest(), moment, fields["objects"])


# -- Signing.


def unsigned(using: str) -> list[str]:
    """The names of objects that differ from the newest fingerprint; none without a fingerprint. Raises
    SigningKeyUnusable."""
    try:
        return [one.name for one in differences(newest(using).objects, read(using))]
    except NoFingerprint:
        return []


def sign(
    before: Objects, *, using: str = "owner", accepts: bool = False
) -> tuple[Fingerprint | None, list[Difference]]:
    """Sign, as the owner, the changes that a migration has made to the catalog `before`. Returns the newest fingerprint
    and the remaining differences of the catalog. If there is no fingerprint yet, or the operator `accepts` it, the
    whole current catalog is signed. If the database had a fingerprint and has lost it, nothing is signed (None). Raises
    SigningKeyMissing, SigningKeyUnusable.
    """
    with transaction.atomic(using=using):
        with connections[using].cursor() as cursor:
            cursor.execute("SELECT pg_catalog.pg_advisory_xact_lock(%s)", [_LOCK])
        after = read(using)
        try:
            known = newest(using)
        except NoFingerprint:
            known = None
            if not accepts and any(row.fingerprint for row in select(_Named, _NAMED_LAST, [ENTRY], using=using)):
                return None, []
        wanted = after if known is None or accepts else merge(known.objects, before, after)
        if known is None or wanted != known.objects:
            known = _keep(wanted, using)
        return known, differences(known.objects, after)


def _keep(objects: Objects, using: str) -> Fingerprint:
    key = keyring.for_new_chain(using)
    moment = timezone.now()
    document = rfc8785.dumps({"format": FORMAT, "made_at": moment.isoformat(), "objects": objects})
    digest = hashlib.sha256(document).digest()
    SchemaFingerprint.objects.using(using).create(
        digest=digest, document=document, signature=key.sign(document), made_at=moment
    )
    return Fingerprint(digest, moment, objects)


def sign_again(key: keyring.SigningKey, *, using: str = "owner") -> None:
    """Sign the unchanged newest fingerprint with the server's new key. Does nothing without a fingerprint."""
    try:
        known = newest(using)
    except NoFingerprint:
        return
    for row in SchemaFingerprint.objects.using(using).filter(digest=known.digest):
        row.signature = key.sign(bytes(row.document))
        row.save(update_fields=["signature"])


# -- Verifying.


def differences_from(digest: str, using: str = "default") -> list[Difference] | None:
    """The differences of the catalog from the fingerprint with this hash; None if the database does not have it."""
    known = _read.get()
    if known is not None and digest in known.differences:
        return known.differences[digest]
    fingerprint = with_digest(digest, using)
    found = None if fingerprint is None else differences(fingerprint.objects, read(using))
    if known is not None:
        known.differences[digest] = found
    return found


def compare(comparison: Comparison) -> None:
    """Report differences of the catalog from the last fingerprint in the tenant's ledger. Nothing is reported if it has
    none yet: the next `migrate` adds it."""
    named = None
    for _, _, entry in comparison.entries([ENTRY]):
        named = entry.metadata.get("fingerprint")
    if named is None:
        return
    found = differences_from(str(named), comparison.using)
    if found is None:
        comparison.findings.add(
            Kind.SCHEMA,
            ROWS,
            None,
            f"the signed description of the schema that the ledger names, {named}, is missing or was changed",
            row=Row(SchemaFingerprint._meta.db_table, str(named)),
        )
        return
    for one in found:
        comparison.findings.add(Kind.SCHEMA, ROWS, None, one.detail, found=one.found, expected=one.expected)


# -- Entries.


def record_in_all(
    fingerprint: Fingerprint, accepted: Sequence[str] = (), *, using: str = "owner"
) -> tuple[int, dict[str, str]]:
    """Append an entry with the hash of the fingerprint to the chain of each tenant whose last such entry differs.
    Returns the number of entries, and the errors by tenant slug. If this is interrupted, call it again."""
    waiting = [
        row for row in select(_Named, _NAMED_LAST, [ENTRY], using=using) if row.fingerprint != fingerprint.digest.hex()
    ]
    done, refused = 0, {}
    for first in range(0, len(waiting), BATCH):
        with transaction.atomic():
            for row in waiting[first : first + BATCH]:
                try:
                    with transaction.atomic():
                        record(fingerprint, actor=system(row.tenant_id, "migrate"), accepted=accepted)
                    done += 1
                except Refusal as refusal:
                    refused[row.slug] = refusal.for_operator
    return done, refused


def record(fingerprint: Fingerprint, *, actor: Principal, accepted: Sequence[str] = ()) -> None:
    """Append the entry to the governance chain of the actor's tenant. Raises the same as appending.record_all."""
    metadata: dict[str, Any] = {"fingerprint": fingerprint.digest.hex(), "objects": len(fingerprint.objects)}
    if accepted:
        metadata["accepted"] = list(accepted[:NAMED_AT_MOST])
    appending.record(ENTRY, actor=actor, metadata=metadata)


def record_in_new_tenant(*, actor: Principal) -> None:
    """Record the newest fingerprint signed by this server in the ledger of a new tenant. If there is none, the next
    `migrate` does it. The current catalog is ignored."""
    try:
        fingerprint = newest()
    except NoFingerprint:
        return
    record(fingerprint, actor=actor)
