"""Credentials let a principal act in a transaction, in a way that the database can verify.

A context (tenant, principal, roles, channels, under a MAC) is opened in one of three ways, for one transaction:

- An API key: `authenticate()` looks up its digest.
- A person who has logged in: the login and session code mints a token over its own connection
  (SESSION_DATABASE_URL), bound to the backend and transaction that will act, and `enter_person()` accepts it.
- The operator, at the command line and in jobs: the same over OPERATOR_DATABASE_URL and `enter_operator()`.

docs/decisions/0008-verified-context.md explains why.
"""

import os
import uuid
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any, LiteralString

import psycopg
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import connections
from psycopg_pool import ConnectionPool

from governance.acting import db
from governance.acting.principals import Principal
from governance.database.connection_timeouts import WatchedConnection
from governance.database.typed_calls import select

#: The id of the operator, who has no row in any table.
SYSTEM_ID = uuid.UUID(int=0)


class NoTransactionError(RuntimeError):
    """A context is a setting of the transaction: outside one it would be lost at once."""


class _Mint:
    """Separate connections for minting tokens. A few are enough, since each token takes less than a millisecond."""

    def __init__(self, setting: str) -> None:
        self._setting = setting
        self._pools: dict[tuple[int, str], ConnectionPool[psycopg.Connection[tuple[Any, ...]]]] = {}

    def token(self, sql: LiteralString, params: list[Any], database: str) -> str:
        """The token that `sql` returns in `database`."""
        with self._pool(database).connection() as connection:
            row = connection.execute(sql, params).fetchone()
        return str(row[0]) if row else ""

    def _pool(self, database: str) -> "ConnectionPool[psycopg.Connection[tuple[Any, ...]]]":
        # A process that was forked must not share its parent's connections.
        key = (os.getpid(), database)
        if key not in self._pools:
            url = getattr(settings, self._setting)
            if not url:
                role = self._setting.partition("_")[0]
                raise ImproperlyConfigured(
                    f"This process cannot open such a context: DATABASE_{role}_URL is not set (docs/operations.md)."
                )
            self._pools[key] = ConnectionPool(
                url,
                connection_class=WatchedConnection,
                # seconds that a request waits for a connection
                timeout=5.0,
                kwargs={"dbname": database, "autocommit": True},
                min_size=0,
                max_size=4,
                check=ConnectionPool.check_connection,
                open=True,
            )
        return self._pools[key]

    def close(self) -> None:
        """Close every connection of this process."""
        while self._pools:
            self._pools.popitem()[1].close()


_people = _Mint("SESSION_DATABASE_URL")
_operators = _Mint("OPERATOR_DATABASE_URL")


def close_connections() -> None:
    """Close the connections that mint tokens; the next token opens a new one."""
    _people.close()
    _operators.close()


@dataclass(frozen=True, slots=True)
class KeyCredential:
    """An API key, by its digest."""

    digest: bytes = field(repr=False)

    def open(self, tenant_id: uuid.UUID, using: str) -> bool:
        """Look up the key and open its owner's context; False for a key that is not valid in that tenant."""
        owner = db.authenticate.on(using)(digest=self.digest)
        return owner.refusal is None and owner.tenant_id == tenant_id


@dataclass(frozen=True, slots=True)
class PersonCredential:
    """A person who is logged in, according to the login and session code."""

    user_id: uuid.UUID

    def token(self, using: str = "default") -> str:
        """A token for the open transaction of the connection `using`, minted once for each."""
        return _minted(_people, "SELECT mint_person(%s, %s, %s)", self.user_id, using)

    def open(self, tenant_id: uuid.UUID, using: str) -> bool:
        """Enter the tenant with the roles that the person has there now; False if they have none."""
        return bool(db.enter_person.on(using)(token=self.token(using), tenant=tenant_id))


@dataclass(frozen=True, slots=True)
class FounderCredential(PersonCredential):
    """A superuser who creates a tenant: its first admin, in the transaction that creates it."""

    def open(self, tenant_id: uuid.UUID, using: str) -> bool:
        """Act as the admin of a tenant that does not exist yet; False for anyone but a superuser."""
        return bool(db.enter_founder.on(using)(token=self.token(using), tenant=tenant_id))


@dataclass(frozen=True, slots=True)
class OperatorCredential:
    """The operator, or a job; `kind` and `id` name the agent or person on whose behalf it works."""

    name: str
    kind: str = "system"
    id: uuid.UUID = SYSTEM_ID

    @staticmethod
    def token(using: str = "default") -> str:
        """A token for the open transaction of the connection `using`."""
        if using == "owner":  # the owner role needs no separate connection
            return db.mint_operator.on(using)(**asdict(_transaction(using)))
        return _minted(_operators, "SELECT mint_operator(%s, %s)", None, using)

    def open(self, tenant_id: uuid.UUID, using: str) -> bool:
        """Enter the tenant; False for an agent or a person who is not active there."""
        entered = db.enter_operator.on(using)(
            token=self.token(using), tenant=tenant_id, kind=self.kind, id=self.id, name=self.name
        )
        return bool(entered)


def system(tenant_id: uuid.UUID, name: str) -> Principal:
    """The operator in a tenant, named after the command or the job."""
    return Principal(tenant_id=tenant_id, kind="system", id=SYSTEM_ID, name=name, credential=OperatorCredential(name))


@dataclass(frozen=True, slots=True)
class _Transaction:
    backend: int
    began: datetime


def _transaction(using: str) -> _Transaction:
    """The backend and transaction that a token is bound to. Raises NoTransactionError outside a transaction."""
    if not connections[using].in_atomic_block:
        raise NoTransactionError("a context can only be opened inside a transaction")
    (found,) = select(_Transaction, "SELECT pg_backend_pid() AS backend, transaction_timestamp() AS began", using=using)
    return found


def _minted(mint: _Mint, sql: LiteralString, bearer: uuid.UUID | None, using: str) -> str:
    """A token of `bearer` (None: the operator) for the open transaction. Raises NoTransactionError outside one."""
    connection = connections[using]
    tokens: dict[uuid.UUID | None, str] = connection.tokens  # type: ignore[attr-defined] # of our own backend
    if bearer not in tokens:
        bound = _transaction(using)
        whom = [] if bearer is None else [bearer]
        tokens[bearer] = mint.token(sql, [*whom, bound.backend, bound.began], str(connection.settings_dict["NAME"]))
    return tokens[bearer]
