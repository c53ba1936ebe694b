"""Read-only requests whose statements each open their own context."""

import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from django.db import connections


class StatementWithoutContextError(RuntimeError):
    """A statement outside a transaction opens no context, so it would read nothing."""


@dataclass(slots=True)
class Entering:
    """The key by whose digest statements open their context, if its owner still matches the cached `fingerprint`."""

    digest: bytes
    fingerprint: bytes
    tenant_id: uuid.UUID
    #: The caller; governance.acting.gate knows the type.
    actor: Any
    #: Looks up the key in a separate statement, and raises if it is refused or its owner has changed.
    verify: Callable[[], None]
    #: Whether a statement of this request has verified the key.
    is_verified: bool = False


def entering(using: str = "default") -> Entering | None:
    """How statements of the connection open their own context; None if a transaction's context is used."""
    found: Entering | None = getattr(connections[using], "entering", None)
    return found


def begin(how: Entering, using: str = "default") -> None:
    """Make each call of a database function over this connection open its own context from now on."""
    connections[using].entering = how  # type: ignore[attr-defined] # of our own backend


def end(using: str = "default") -> None:
    """End the request."""
    connections[using].entering = None  # type: ignore[attr-defined] # as above


@contextmanager
def paused(using: str = "default") -> Iterator[Entering | None]:
    """Use ordinary statements of a transaction within the block. Yields how statements would open their context."""
    connection: Any = connections[using]
    how: Entering | None = entering(using)
    connection.entering = None
    try:
        yield how
    finally:
        connection.entering = how
