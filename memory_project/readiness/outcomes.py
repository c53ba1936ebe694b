"""Outcomes of checks, in texts fit for the public: no address, path, secret or tenant."""

from dataclasses import dataclass
from typing import Literal

import psycopg
from django.db import Error as DatabaseFailure
from django.db import OperationalError


class NotReady(Exception):  # noqa: N818 (an answer, not an error)
    """Requests cannot be served. `lasts`: until an operator fixes it, so retrying does not help."""

    def __init__(self, reason: str, *, lasts: bool = False) -> None:
        super().__init__(reason)
        self.lasts = lasts


class Degraded(Exception):  # noqa: N818 (an answer, not an error)
    """Requests are served, but an operator has to fix something."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a check. `lasts`: the failure stays until an operator fixes it."""

    status: Literal["ok", "degraded", "failed"]
    detail: str
    lasts: bool = False


def outcome_of(reason: Exception) -> Outcome:
    """The outcome of a check that raised `reason`."""
    if isinstance(reason, Degraded):
        return Outcome("degraded", str(reason))
    if isinstance(reason, NotReady):
        return Outcome("failed", str(reason), reason.lasts)
    # Only the class: messages contain hosts and users.
    name = type(reason).__name__
    cause = reason.__cause__ if isinstance(reason, DatabaseFailure) else reason
    state = cause.sqlstate if isinstance(cause, psycopg.Error) else None
    if isinstance(reason, OperationalError) and not state:
        return Outcome("failed", "cannot be reached, or accepts no more connections")
    return Outcome("failed", f"{name} (SQLSTATE {state})" if state else name)
