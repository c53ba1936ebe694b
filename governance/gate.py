"""The gate: entering a tenant, and calling the database functions that alone read and write governed rows."""

import hashlib
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from django.db import connections, transaction

from governance.identity.principals import Principal
from governance.refusals import Unauthenticated


class NoTransactionError(RuntimeError):
    """The tenant is a setting of the transaction: outside of one it would be lost at once."""


class KeyRefused(Unauthenticated):
    """The API key is not valid."""


def enter(tenant_id: uuid.UUID, using: str = "default") -> None:
    """Make `tenant_id` the tenant of the open transaction. Raises NoTransactionError without one."""
    connection = connections[using]
    if not connection.in_atomic_block:
        raise NoTransactionError("a tenant can only be entered inside a transaction")
    with connection.cursor() as cursor:
        # SET takes no parameters; the value is a UUID object, so nothing needs quoting.
        cursor.execute(f"SET LOCAL suture.tenant = '{uuid.UUID(str(tenant_id))}'")


@contextmanager
def tenant(tenant_id: uuid.UUID, using: str = "default") -> Iterator[None]:
    """One transaction within a tenant: for commands, tasks and tests. Requests enter by their credential."""
    with transaction.atomic(using=using):
        enter(tenant_id, using)
        yield


@contextmanager
def visiting(tenant_id: uuid.UUID) -> Iterator[None]:
    """Act in another tenant within the open transaction, and come back to the one that was entered, if any: for acts
    on what tenants share. Raises NoTransactionError without a transaction."""
    (before,) = rows("SELECT nullif(current_setting('suture.tenant', true), '') AS tenant", ())
    enter(tenant_id)
    yield
    # After an exception the caller rolls back to before `enter`, and the setting goes with it.
    if before["tenant"] is not None:
        enter(before["tenant"])
    else:
        with connections["default"].cursor() as cursor:
            cursor.execute("SET LOCAL suture.tenant = ''")


def rows(sql: str, params: Sequence[Any], using: str = "default") -> list[dict[str, Any]]:
    """Run one statement and answer its rows as dictionaries."""
    with connections[using].cursor() as cursor:
        cursor.execute(sql, params)
        columns = [column.name for column in cursor.description or ()]
        return [dict(zip(columns, values, strict=True)) for values in cursor.fetchall()]


def call(function: str, *arguments: Any, using: str = "default") -> list[dict[str, Any]]:
    """`SELECT * FROM function(arguments)`; `function` is a name of our own, never input."""
    places = ", ".join(["%s"] * len(arguments))
    return rows(f"SELECT * FROM {function}({places})", arguments, using)  # noqa: S608


def tenants(using: str = "default") -> dict[str, uuid.UUID]:
    """Every tenant's id by its slug, for jobs that go from tenant to tenant."""
    return {row["slug"]: row["id"] for row in call("list_tenants", using=using)}


def digest_of(key: str) -> bytes:
    """What is stored of a key. Keys are 256 random bits, so a plain hash cannot be guessed back."""
    return hashlib.sha256(key.encode()).digest()


def authenticate(key: str) -> Principal:
    """Look up an API key and enter its tenant, in one round trip. Raises KeyRefused, saying why."""
    row = call("authenticate", digest_of(key))[0]
    if row["refusal"]:
        raise KeyRefused(
            {
                "unknown": "This API key is not known.",
                "revoked": "This API key has been revoked.",
                "expired": "This API key has expired.",
                "inactive": "The owner of this API key is not active in the tenant.",
            }[row["refusal"]]
        )
    return Principal(
        tenant_id=row["tenant_id"],
        tenant_slug=row["tenant_slug"],
        kind=row["kind"],
        id=row["id"],
        name=row["name"],
        channels=tuple(row["channels"]),
        roles=frozenset(row["roles"]),
    )
