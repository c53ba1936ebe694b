"""A request that reads, whose statements open their context each by itself."""

import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from django.db import connections


class StatementWithoutContextError(RuntimeError):
    """A statement was made outside of a transaction that opens no context, and would therefore read nothing."""


@dataclass(slots=True)
class Entering:
    """How: by the key with this digest, if its owner is still what this process remembers of them (`fingerprint`)."""

    digest: bytes
    fingerprint: bytes
    tenant_id: uuid.UUID
    #: The caller; governance.acting.gate knows the type.
    actor: Any
    #: Looks the key up, in a statement of its own, and raises where it is refused or its owner is not what they were.
    verify: Callable[[], None]
    #: Whether a statement of this request has found that it is.
    is_verified: bool = False


def entering(using: str = "default") -> Entering | None:
    """How the statements of the connection open their context; None where its transaction has one, or needs one."""
    found: Entering | None = getattr(connections[using], "entering", None)
    return found


def begin(how: Entering, using: str = "default") -> None:
    """From now on, each call of a database function over this connection opens its context itself."""
    connections[using].entering = how  # type: ignore[attr-defined] # of our own backend


def end(using: str = "default") -> None:
    """The request is over."""
    connections[using].entering = None  # type: ignore[attr-defined] # as above


@contextmanager
def paused(using: str = "default") -> Iterator[Entering | None]:
    """Let the statements within be ordinary ones, of a transaction. Yields how they would have entered."""
    connection: Any = connections[using]
    how: Entering | None = entering(using)
    connection.entering = None
    try:
        yield how
    finally:
        connection.entering = how
