"""The gate: act in a tenant, and call the database functions, the only way to read and write governed rows."""

import hashlib
import uuid
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

from django.db import connections, transaction

from governance.acting import db
from governance.acting.credentials import (
    KeyCredential,
    NoTransactionError,
    OperatorCredential,
    PersonCredential,
    system,
)
from governance.acting.principals import Principal
from governance.database import read_context, typed_calls
from governance.database.read_context import Entering
from governance.refusals import Forbidden, Unauthenticated


class KeyRefused(Unauthenticated):
    """The API key is not valid."""


class OwnerChanged(Exception):  # noqa: N818 (the request begins again)
    """The owner of the request's key has changed since this process cached it: another name, channel or role."""


class ContextRefused(Forbidden):
    """You no longer have access to this tenant. Log in again, or ask an admin of the tenant."""


def open_context(principal: Principal, using: str = "default") -> None:
    """Let `principal` act for the rest of the open transaction of the connection `using`, by their credential: row
    security and every gate function take tenant, actor, roles and channels from there.

    Raises NoTransactionError outside a transaction, ContextRefused if the credential is no longer valid,
    MayNotSpeakFor if its key may not speak for the principal.
    """
    if principal.credential is None:
        raise TypeError(f"{principal.name} has no credential to act by")
    connection = connections[using]
    if not connection.in_atomic_block:
        raise NoTransactionError("a context can only be opened inside a transaction")
    connection.acting = None  # type: ignore[attr-defined] # of our own backend
    if not principal.credential.open(principal.tenant_id, using):
        raise ContextRefused
    if principal.on_behalf_of:
        db.speak_for.on(using)(tenant=principal.tenant_id, principal=principal.on_behalf_of)
    _remember_context(principal, using)


def act_as(actor: Principal, using: str = "default") -> None:
    """Make sure that the open transaction is `actor`'s, before calling a function that takes the actor from it.

    In a request it is, since authentication, so this costs no query. Commands and tests that work for several
    principals switch between them here. Raises the same as open_context.
    """
    open_now = acting_in(using)
    if open_now is None or _identity(open_now) != _identity(actor):
        open_context(actor, using)


def acting_in(using: str = "default") -> Principal | None:
    """The principal of the open transaction, or of each statement of a read-only request, as far as known without a
    query."""
    how = read_context.entering(using)
    return getattr(connections[using], "acting", None) if how is None else how.actor


@contextmanager
def acting_as(principal: Principal, using: str = "default") -> Iterator[None]:
    """One transaction in which `principal` acts; see open_context."""
    with transaction.atomic(using=using):
        act_as(principal, using)
        yield


@contextmanager
def tenant(tenant_id: uuid.UUID, using: str = "default", name: str = "operator") -> Iterator[None]:
    """One transaction in which the operator works in a tenant: for commands and tests."""
    with acting_as(system(tenant_id, name), using):
        yield


@contextmanager
def job(tenant_id: uuid.UUID, name: str = "job") -> Iterator[None]:
    """One transaction in which a background job works in a tenant. It cannot change identities."""
    worker = replace(system(tenant_id, name), credential=OperatorCredential(name, kind="job"))
    with acting_as(worker):
        yield


@contextmanager
def visiting(actor: Principal, tenant_id: uuid.UUID) -> Iterator[Principal]:
    """Let `actor` act in another tenant within the open transaction, and then in their own again: for actions on shared
    things. Yields the actor there. Raises the same as open_context."""
    there = replace(actor, tenant_id=tenant_id)
    act_as(there)
    yield there
    # After an exception the caller rolls back to before `act_as`, and the context goes with it.
    act_as(actor)


@contextmanager
def only_channels(actor: Principal, channels: Collection[str]) -> Iterator[Principal]:
    """Let `actor` read only memory recorded in those of their channels that are in `channels`, in one transaction.
    Yields the actor with these channels. Raises what open_context and `entered` raise."""
    kept = tuple(channel for channel in actor.channels if channel in channels)
    if kept == tuple(actor.channels):
        yield actor
        return
    with entered():
        act_as(actor)
        opened = db.narrow_channels(tenant=actor.tenant_id, channels=list(kept))
        yield replace(actor, channels=kept)
        # After an exception the caller rolls back to before `narrow_channels`, and the context goes with it.
        typed_calls.select(str, "SELECT set_config('suture.context', %s, true)", [opened])


def _identity(principal: Principal) -> tuple[uuid.UUID, str, uuid.UUID, str]:
    return principal.tenant_id, principal.kind, principal.id, principal.on_behalf_of


def _remember_context(principal: Principal, using: str) -> None:
    """Remember whose context is open; the connection forgets it when the transaction ends or is rolled back to a
    savepoint (memory_project/db/base.py). Outside a transaction the context ended with its statement: remembering it
    would make the person's next request believe that it is still open."""
    connection = connections[using]
    if connection.in_atomic_block:
        connection.acting = principal  # type: ignore[attr-defined] # of our own backend
        connection.actors[principal.tenant_id] = principal  # type: ignore[attr-defined] # as above


def rows(sql: str, params: Sequence[Any], using: str = "default") -> list[dict[str, Any]]:
    """Run one statement and return its rows as dictionaries, for tests and measurements only. Other code uses the typed
    rows of governance.database.typed_calls."""
    with connections[using].cursor() as cursor:
        cursor.execute(sql, params)
        columns = [column.name for column in cursor.description or ()]
        return [dict(zip(columns, values, strict=True)) for values in cursor.fetchall()]


def tenants(credential: PersonCredential | None = None) -> dict[str, uuid.UUID]:
    """Every tenant's id by its slug, for the operator and jobs, or for the superuser of `credential`."""
    with transaction.atomic():
        token = (credential or OperatorCredential("tenants")).token()
        return {row.slug: row.id for row in db.list_tenants(token=token)}


def digest_of(key: str) -> bytes:
    """The stored digest of a key. Keys are 256 random bits, so a plain hash cannot be reversed by guessing."""
    return hashlib.sha256(key.encode()).digest()


def authenticate(key: str) -> Principal:
    """Look up an API key and open its owner's context in this transaction, in one round trip. Raises KeyRefused."""
    principal, _ = _looked_up(digest_of(key))
    _remember_context(principal, "default")
    return principal


def recognise(key: str) -> Principal:
    """The owner of an API key, for a request whose statements each open their own context, outside a transaction
    (database/entering.py).

    The owner comes from this process's cache. It must not be trusted before the first of these statements has compared
    it with the database, which raises KeyRefused for a key that is now refused and OwnerChanged for another owner.
    """
    digest = digest_of(key)
    remembered = _remembered.get(digest)
    principal, fingerprint = remembered or _looked_up(digest)
    verify = partial(_require_unchanged, digest, fingerprint)
    read_context.begin(
        Entering(digest, fingerprint, principal.tenant_id, principal, verify, is_verified=remembered is None)
    )
    return principal


def remembered(digest: bytes) -> Principal | None:
    """The cached owner of the key with this digest: for counting only, since it proves nothing."""
    found = _remembered.get(digest)
    return None if found is None else found[0]


def require_verified() -> None:
    """Make sure that the database has verified the owner of the request's key. Raises KeyRefused and OwnerChanged."""
    how = read_context.entering()
    if how is not None and not how.is_verified:
        how.verify()
        how.is_verified = True


@contextmanager
def entered() -> Iterator[None]:
    """One transaction in which the owner of the request's key acts, for a request whose statements otherwise each open
    their own context: for statements that belong together, and for querysets. Does nothing in other requests. Raises
    KeyRefused and OwnerChanged."""
    with read_context.paused() as how:
        if how is None:
            yield
            return
        with transaction.atomic():
            how.verify()
            how.is_verified = True
            yield


def _require_unchanged(digest: bytes, fingerprint: bytes) -> None:
    with read_context.paused():
        principal, found = _looked_up(digest)
        _remember_context(principal, "default")
    if found != fingerprint:
        raise OwnerChanged


def _looked_up(digest: bytes) -> tuple[Principal, bytes]:
    """The owner of a key and the fingerprint of their data, from the database. Caches both."""
    _remembered.pop(digest, None)
    owner = db.authenticate(digest=digest)
    if owner.refusal:
        raise KeyRefused(
            {
                "unknown": "This API key is not known.",
                "revoked": "This API key has been revoked.",
                "expired": "This API key has expired.",
                "inactive": "The owner of this API key is not active in the tenant.",
            }[owner.refusal]
        )
    principal = Principal(
        tenant_id=owner.tenant_id,
        tenant_slug=owner.tenant_slug,
        kind=owner.kind,
        id=owner.id,
        name=owner.name,
        channels=tuple(owner.channels),
        roles=frozenset(owner.roles),
        must_speak_for=owner.must_speak_for,
        credential=KeyCredential(digest),
    )
    if len(_remembered) >= MOST_REMEMBERED:
        _remembered.clear()
    _remembered[digest] = principal, owner.fingerprint
    return principal, owner.fingerprint


#: The last looked-up owner of each key, by its digest, with the owner's fingerprint. It grants no access.
_remembered: dict[bytes, tuple[Principal, bytes]] = {}
MOST_REMEMBERED = 10_000
