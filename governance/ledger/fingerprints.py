"""The fingerprint of the database's own guards: what `migrate` left in the catalog, signed.

A fingerprint is a document (RFC 8785 JSON) with every object of the catalog that guards the record. The database keeps
it with its signature, and the governance chain of each tenant has its hash, in entries `schema.fingerprinted`. What the
catalog says now is compared with it: what somebody changed in another way than by `migrate` has a name there.
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
#: The names of accepted objects that an entry lists.
MOST_NAMED = 200

#: Of two nodes that sign at once, one waits.
_LOCK = 0x5E7F09

#: Tenants and the hash that the last of these entries names, for the owner.
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
    """A document whose signature was verified, or whose hash an entry names."""

    digest: bytes
    made_at: datetime
    objects: Objects


@dataclass(frozen=True, slots=True)
class _Named:
    tenant_id: uuid.UUID
    slug: str
    fingerprint: str | None


class NoFingerprint(LookupError):  # noqa: N818 (an answer, as KeyError)
    """There is no fingerprint that a key of this server has signed."""


# -- Reading.


@dataclass(slots=True)
class _Read:
    """What was read for one verification of all tenants."""

    catalogs: dict[str, Objects] = field(default_factory=dict)
    differences: dict[str, list[Difference] | None] = field(default_factory=dict)


_read: ContextVar[_Read | None] = ContextVar("catalogs", default=None)


@contextmanager
def reading_once() -> Iterator[None]:
    """Within the block the catalog is read once for all tenants, and not for each."""
    token = _read.set(_Read())
    try:
        yield
    finally:
        _read.reset(token)


def read(using: str) -> Objects:
    """What the catalog says now, over the connection `using`."""
    known = _read.get()
    if known is not None and using in known.catalogs:
        return known.catalogs[using]
    with transaction.atomic(using=using), connections[using].cursor() as cursor:
        found = catalog.read(cursor)
    if known is not None:
        known.catalogs[using] = found
    return found


def newest(using: str = "default") -> Fingerprint:
    """The newest fingerprint that a key of this server has signed. Raises NoFingerprint, SigningKeyUnusable."""
    signers = keyring.keys(using)
    publics = [key.public for key in signers]
    rows = SchemaFingerprint.objects.using(using)
    # one at a time: each is some hundred kilobytes, and the first one is it
    for digest in list(rows.values_list("digest", flat=True)):
        for row in rows.filter(digest=digest):
            document = bytes(row.document)
            if any(is_signed(document, bytes(row.signature), public) for public in publics):
                found = _parsed(document)
                # the column decides their order, and is not signed
                if found is not None and found.made_at == row.made_at:
                    return found
    raise NoFingerprint


def with_digest(digest: str, using: str = "default") -> Fingerprint | None:
    """The fingerprint with this hash, in hexadecimal digits; None where the database does not have it."""
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
    """The names of objects that differ from the newest fingerprint; none where there is no fingerprint. Raises
    SigningKeyUnusable."""
    try:
        return [one.name for one in differences(newest(using).objects, read(using))]
    except NoFingerprint:
        return []


def sign(
    before: Objects, *, using: str = "owner", accepts: bool = False
) -> tuple[Fingerprint | None, list[Difference]]:
    """Sign what a migration that found `before` has made of the catalog, as the owner, and answer the newest
    fingerprint with what the catalog has beside it. Where none is there yet, or the operator `accepts` it, what is
    found is signed. Nothing is signed (None) where the database had a fingerprint and has lost it.

    Raises SigningKeyMissing, SigningKeyUnusable.
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
    """Sign the newest fingerprint with another key, which from now on is the server's; the document stays what it is.
    Does nothing where there is none."""
    try:
        known = newest(using)
    except NoFingerprint:
        return
    for row in SchemaFingerprint.objects.using(using).filter(digest=known.digest):
        row.signature = key.sign(bytes(row.document))
        row.save(update_fields=["signature"])


# -- Verifying.


def differences_from(digest: str, using: str = "default") -> list[Difference] | None:
    """What the catalog has beside the fingerprint with this hash; None where the database does not have that."""
    known = _read.get()
    if known is not None and digest in known.differences:
        return known.differences[digest]
    fingerprint = with_digest(digest, using)
    found = None if fingerprint is None else differences(fingerprint.objects, read(using))
    if known is not None:
        known.differences[digest] = found
    return found


def compare(comparison: Comparison) -> None:
    """Report what the catalog has beside the fingerprint that the tenant's ledger names last. Nothing is
    reported where it names none yet: the next `migrate` lets it."""
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
    """Append an entry with the hash of the fingerprint to the chain of each tenant that does not name it last; answers
    how many there were, and why it failed by the slugs of tenants. If this is interrupted, call it again."""
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
    """Append the entry to the governance chain of the actor's tenant. Raises what appending.record_all raises."""
    metadata: dict[str, Any] = {"fingerprint": fingerprint.digest.hex(), "objects": len(fingerprint.objects)}
    if accepted:
        metadata["accepted"] = list(accepted[:MOST_NAMED])
    appending.record(ENTRY, actor=actor, metadata=metadata)


def record_in_new_tenant(*, actor: Principal) -> None:
    """Let the ledger of a new tenant name the newest fingerprint that this server has signed; nothing where there is
    none, and the next `migrate` does it. What the catalog says now is not looked at."""
    try:
        fingerprint = newest()
    except NoFingerprint:
        return
    record(fingerprint, actor=actor)
