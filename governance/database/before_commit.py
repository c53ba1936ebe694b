"""The hook before the COMMIT of each transaction with an actor. The ledger registers its function here, because the
database layer must not import it."""

from collections.abc import Callable
from typing import Any

_last: Callable[[Any], object] | None = None


def finish_with(last: Callable[[Any], object]) -> None:
    """Call `last` with each principal who acts in a transaction, before its COMMIT; called once by the app's
    `ready()`. An exception rolls the transaction back."""
    global _last
    _last = last


def finish(connection: Any) -> None:
    """Called by the database backend before it commits."""
    if _last is None:
        return
    while connection.actors:
        _, actor = connection.actors.popitem()
        _last(actor)
