"""What a check finds, in words fit for the public: no address, path, secret or tenant."""

from dataclasses import dataclass
from typing import Literal

import psycopg
from django.db import Error as DatabaseFailure
from django.db import OperationalError


class NotReady(Exception):  # noqa: N818 (an answer, not an error)
    """Requests are not served. `lasts`: until somebody mends it, so that no client need try again."""

    def __init__(self, reason: str, *, lasts: bool = False) -> None:
        super().__init__(reason)
        self.lasts = lasts


class Degraded(Exception):  # noqa: N818 (an answer, not an error)
    """Requests are served, and somebody has to look at something."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a check found. `lasts`: the failure stays until somebody mends it."""

    status: Literal["ok", "degraded", "failed"]
    detail: str
    lasts: bool = False


def outcome_of(reason: Exception) -> Outcome:
    """The outcome of a check that raised `reason`."""
    if isinstance(reason, Degraded):
        return Outcome("degraded", str(reason))
    if isinstance(reason, NotReady):
        return Outcome("failed", str(reason), reason.lasts)
    # The class alone: messages name hosts and users.
    name = type(reason).__name__
    cause = reason.__cause__ if isinstance(reason, DatabaseFailure) else reason
    state = cause.sqlstate if isinstance(cause, psycopg.Error) else None
    if isinstance(reason, OperationalError) and not state:
        return Outcome("failed", "cannot be reached, or takes no more connections")
    return Outcome("failed", f"{name} (SQLSTATE {state})" if state else name)
