"""What services raise when they refuse a request. They know no HTTP; `governance.http.problems` does.

The direct subclasses of `Refusal` are the kinds. A service names its own refusal by subclassing one:

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
    """One thing wrong and its place: a `pointer` into the body (RFC 6901), a `parameter` or a `header`. `code` is for
    programs: what is wrong, whatever the sentence says."""

    pointer: str
    parameter: str
    header: str
    detail: str
    code: str


class Refusal(Exception):  # noqa: N818 (a refusal is an answer, not an error)
    """The request was refused."""

    code: ClassVar[str] = "refusal"
    title: ClassVar[str] = "Refusal"
    #: Whether the transaction is committed although the request is refused, so that the access log keeps the refusal.
    #: A service that raises such a refusal must have written nothing else.
    keeps_record: ClassVar[bool] = False

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", cls.__name__).lower()
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
        #: The detail for the operator of the server, who may know more than a client.
        self.for_operator = self.detail
        super().__init__(self.detail)


class Invalid(Refusal):
    """The request is not valid."""


class Unauthenticated(Refusal):
    """This request needs a valid API key."""


class Forbidden(Refusal):
    """You do not have permission to do this."""


class NotFound(Refusal):
    """There is nothing with this id or at this address."""


class Conflict(Refusal):
    """The request conflicts with the current state."""


class TooLarge(Refusal):
    """The request is too large."""


class Unavailable(Refusal):
    """A service that this request needs does not respond. Retry the request."""


class Halted(Unavailable):
    """The server writes nothing until its operator has mended it.

    `cause` is for the operator, and what logs show: it may name files of the server, which clients are not told.
    Another try does not help.
    """

    def __init__(self, cause: str = "") -> None:
        super().__init__(
            f"{self.title}: the server writes nothing until its operator has mended what `manage.py check_ledger` says."
            " Retrying does not help."
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
}
_refusals_by_constraint: dict[str, type[Refusal]] = {}


def register_constraint(name: str, refusal: type[Refusal]) -> None:
    """Let a violation of the database constraint `name` become `refusal`, with the refusal's own message; also what a
    function of the database answers as its refusal.

    Our SQL functions may name the constraint too (`RAISE ... USING CONSTRAINT`): then their message stays.
    """
    _refusals_by_constraint[name] = refusal


def of_name(name: str) -> Refusal:
    """The refusal that a function of the database answered by `name`. Raises KeyError for a name of nothing."""
    return _refusals_by_constraint[name]()


def from_database(error: DatabaseFailure) -> Refusal | None:
    """The refusal that a database error stands for, or None: then its text must not reach the caller."""
    cause = error.__cause__
    if not isinstance(cause, psycopg.Error):
        return None
    found = refusal_of(cause.sqlstate or "", cause.diag.constraint_name or "", cause.diag.message_primary or "")
    if found is not None:
        return found
    named = _refusals_by_constraint.get(cause.diag.constraint_name or "")
    return named() if named is not None else None


def refusal_of(sqlstate: str, name: str, message: str) -> Refusal | None:
    """The refusal that a function of ours raises with this SQLSTATE, constraint and message; None for an SQLSTATE that
    is not ours."""
    kind = _KINDS_BY_SQLSTATE.get(sqlstate)
    return None if kind is None else _refusals_by_constraint.get(name, kind)(_sentence(message))


def place_in(error: DatabaseFailure) -> int | None:
    """The place of the item of a batch that the database refused, from 0; None where the error does not say."""
    cause = error.__cause__
    hint = cause.diag.message_hint if isinstance(cause, psycopg.Error) else None
    return int(hint) if hint and hint.isdecimal() else None


def _sentence(message: str) -> str:
    """A message in PostgreSQL's style (lower case, no full stop) in the style of every other refusal."""
    ended = message if message.endswith((".", "!", "?")) else f"{message}."
    return ended[:1].upper() + ended[1:]


@contextmanager
def within_savepoint() -> Iterator[None]:
    """Roll back only the block if it fails, so that the transaction can continue. An error of the database is raised
    as the refusal that it stands for."""
    try:
        with transaction.atomic():
            yield
    except DatabaseFailure as failure:
        refusal = from_database(failure)
        if refusal is None:
            raise
        raise refusal from failure
