"""Exceptions that services raise when they refuse a request. `governance.http.problems` maps them to HTTP.

The direct subclasses of `Refusal` are the kinds. A service defines its own refusal by subclassing one:

    class EditNotPending(Conflict):
        \"\"\"This edit is already decided.\"\"\"

Its docstring is the user's message, its `code` is `edit-not-pending`, its `title` "Edit not pending".
"""

import inspect
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar, TypedDict

import psycopg
from django.db import Error as DatabaseFailure
from django.db import transaction


class Fault(TypedDict, total=False):
    """One fault and its place: a `pointer` into the body (RFC 6901), a `parameter` or a `header`. `code` identifies the
    fault for programs."""

    pointer: str
    parameter: str
    header: str
    detail: str
    code: str


class Refusal(Exception):  # noqa: N818 (a refusal is an answer, not an error)
    """The request was refused."""

    code: ClassVar[str] = "refusal"
    title: ClassVar[str] = "Refusal"
    #: Whether to commit the transaction although the request is refused, so that the access log keeps the refusal.
    #: A service that raises such a refusal must have written nothing else.
    keeps_record: ClassVar[bool] = False

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "-", cls.__name__).lower()
        if "code" not in cls.__dict__:
            cls.code = words
        if "title" not in cls.__dict__:
            cls.title = words.replace("-", " ").capitalize()

    def __init__(self, detail: str = "", *, pointer: str | None = None, errors: Sequence[Fault] | None = None) -> None:
        self.detail = detail or " ".join((inspect.getdoc(type(self)) or self.title).split())
        self.pointer = pointer
        self.errors: list[Fault] = list(errors or [])
        if pointer is not None and not self.errors:
            self.errors = [Fault(pointer=pointer, detail=self.detail, code=self.code)]
        #: The detail for the operator of the server, who may see more than a client.
        self.for_operator = self.detail
        super().__init__(self.detail)


class Invalid(Refusal):
    """The request is not valid."""


class Unauthenticated(Refusal):
    """This request needs a valid API key."""


class Forbidden(Refusal):
    """You do not have permission to do this."""


class NotFound(Refusal):
    """Nothing exists with this id or at this address."""


class Conflict(Refusal):
    """The request conflicts with the current state."""


class TooMany(Refusal):
    """There are too many of these now. Try again later."""


class TooLarge(Refusal):
    """The request is too large."""


class Unavailable(Refusal):
    """A service that this request needs does not respond. Retry the request."""


class Halted(Unavailable):
    """The server refuses all writes until its operator has repaired it.

    `cause` is for the operator and the logs: it may name files of the server, which clients must not see. Retrying does
    not help.
    """

    def __init__(self, cause: str = "") -> None:
        super().__init__(
            f"{self.title}: the server refuses all writes until its operator has fixed the problem that"
            " `manage.py check_ledger` reports. Retrying does not help."
        )
        self.for_operator = cause or self.detail
        self.args = (self.for_operator,)


class Failed(Refusal):
    """The server could not do this, and changed nothing."""


def json_pointer(path: Iterable[str | int]) -> str:
    """The RFC 6901 pointer of `path`: `["content", "text"]` is `/content/text`, `[]` the whole document."""
    return "".join("/" + str(token).replace("~", "~0").replace("/", "~1") for token in path)


#: The SQLSTATEs that our own SQL functions raise. Their message is written for the caller.
_KINDS_BY_SQLSTATE: dict[str, type[Refusal]] = {
    "SU400": Invalid,
    "SU403": Forbidden,
    "SU404": NotFound,
    "SU409": Conflict,
    "SU429": TooMany,
}
_refusals_by_constraint: dict[str, type[Refusal]] = {}


def register_constraint(name: str, refusal: type[Refusal]) -> None:
    """Map violations of the database constraint `name`, and the refusal `name` that a SQL function returns, to
    `refusal`.

    If a SQL function names the constraint itself (`RAISE ... USING CONSTRAINT`), its own message is used.
    """
    _refusals_by_constraint[name] = refusal


def of_name(name: str) -> Refusal:
    """The refusal with the name that a SQL function returned. Raises KeyError for an unknown name."""
    return _refusals_by_constraint[name]()


def from_database(error: DatabaseFailure) -> Refusal | None:
    """The refusal for a database error, or None: then its text must not reach the caller."""
    cause = error.__cause__
    if not isinstance(cause, psycopg.Error):
        return None
    found = refusal_of(cause.sqlstate or "", cause.diag.constraint_name or "", cause.diag.message_primary or "")
    if found is not None:
        return found
    named = _refusals_by_constraint.get(cause.diag.constraint_name or "")
    return named() if named is not None else None


def refusal_of(sqlstate: str, name: str, message: str) -> Refusal | None:
    """The refusal for this SQLSTATE, constraint and message of our SQL functions; None for a foreign SQLSTATE."""
    kind = _KINDS_BY_SQLSTATE.get(sqlstate)
    return None if kind is None else _refusals_by_constraint.get(name, kind)(_sentence(message))


def batch_index_in(error: DatabaseFailure) -> int | None:
    """The position, from 0, of the batch item that the database refused; None if the error does not name it."""
    cause = error.__cause__
    hint = cause.diag.message_hint if isinstance(cause, psycopg.Error) else None
    return int(hint) if hint and hint.isdecimal() else None


def _sentence(message: str) -> str:
    """Capitalise a message in PostgreSQL's style and end it with a full stop."""
    ended = message if message.endswith((".", "!", "?")) else f"{message}."
    return ended[:1].upper() + ended[1:]


@contextmanager
def within_savepoint() -> Iterator[None]:
    """Roll back only the block if it fails, so that the transaction can continue. A database error is raised as its
    refusal."""
    try:
        with transaction.atomic():
            yield
    except DatabaseFailure as failure:
        refusal = from_database(failure)
        if refusal is None:
            raise
        raise refusal from failure
