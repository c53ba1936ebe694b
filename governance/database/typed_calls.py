"""Call the functions of the database by name, with typed parameters and typed results.

A function of `sql/functions/` that Python calls is declared once, in the module `db` of its app or room, with the
parameters of its definition without `p_` (and `from_` for `p_from`). The return annotation declares the result:

    @dataclass(frozen=True, slots=True)
    class Named:
        id: UUID
        slug: str

    @function
    def list_tenants() -> list[Named]: ...  # rows, each a dataclass with the columns as its fields

`list[UUID]` means rows of one column, a dataclass exactly one row, `int` exactly one value, and None no result. Then
`list_tenants()` calls it over the default connection, and `list_tenants.on("owner")()` over another.
tests/database/test_calls.py compares every declaration with the database.
"""

import dataclasses
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cache, partial, update_wrapper
from inspect import signature
from itertools import chain, starmap
from operator import attrgetter
from typing import Any, Generic, ParamSpec, TypeVar, cast, get_args, get_origin, get_type_hints

from django.db import connections
from django.db.backends.utils import CursorWrapper

from governance.database.read_context import Entering, StatementWithoutContextError, entering

P = ParamSpec("P")
A = TypeVar("A")
R = TypeVar("R")


class NotOneRowError(RuntimeError):
    """A function that must return exactly one row returned a different number."""


class OtherColumnsError(TypeError):
    """A statement returns columns that do not match the fields of its row."""


class Function(Generic[P, A]):
    """One function of the database, as its declaration describes it."""

    def __init__(self, declaration: Callable[P, A]) -> None:
        update_wrapper(self, declaration)
        self.name = declaration.__name__
        self.parameters = get_type_hints(declaration)
        self.answer = self.parameters.pop("return")
        self.defaults = {
            name: one.default for name, one in signature(declaration).parameters.items() if one.default is not one.empty
        }
        values = {sql_name(name): f"%({name})s" for name in self.parameters}
        columns = ", ".join(f'called."{name}"' for name in self.fields) or "called.*"
        self.sql = f"SELECT {columns} FROM {self.name}({_given(values)}) called"  # noqa: S608 # names of our own
        #: The same, opening its own context (sql/functions/enter.sql). It returns no rows if the key is refused.
        self.entering_sql = (
            f"SELECT {columns} FROM enter(%(_digest)s, %(_fingerprint)s) AS entered (tenant),"  # noqa: S608 # as above
            f" LATERAL {self.name}({_given({**values, 'p_tenant': 'entered.tenant'})}) called"
            " WHERE entered.tenant IS NOT NULL"
        )
        #: Converts the rows, which are tuples, to the result.
        self.convert: Callable[[list[tuple[Any, ...]]], A] = _converter(self.name, self.answer)

    @property
    def row(self) -> Any:
        """The type of a row: a dataclass, the type of its only value, or NoneType."""
        return get_args(self.answer)[0] if get_origin(self.answer) is list else self.answer

    @property
    def fields(self) -> tuple[str, ...]:
        """The columns to read; none for a function that returns single values or nothing."""
        return tuple(one.name for one in dataclasses.fields(self.row)) if dataclasses.is_dataclass(self.row) else ()

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> A:
        """Call the function over the default connection. Raises NotOneRowError."""
        return self._run("default", kwargs)

    def on(self, using: str) -> Callable[P, A]:
        """The function over another connection."""
        return cast(Callable[P, A], lambda **values: self._run(using, values))

    def _run(self, using: str, values: Mapping[str, Any]) -> A:
        if (how := entering(using)) is not None:
            return self._enter_and_run(how, using, values)
        with connections[using].cursor() as cursor:
            cursor.execute(self.sql, {**self.defaults, **values})
            return self.convert(_fetched(cursor))

    def _enter_and_run(self, how: Entering, using: str, values: Mapping[str, Any]) -> A:
        """Call the function in a statement that opens its own context. If it returns no rows, the key may be refused:
        then `how.verify` raises the error for the request."""
        if values.get("tenant") != how.tenant_id:
            raise StatementWithoutContextError(f"{self.name} is called outside the tenant of the request")
        connection: Any = connections[using]
        own = {"_digest": how.digest, "_fingerprint": how.fingerprint}
        with connection.entering_cursor() as cursor:
            cursor.execute(self.entering_sql, {**self.defaults, **values, **own})
            rows = _fetched(cursor)
        if not rows:
            how.verify()
        how.is_verified = True
        return self.convert(rows)


_declared: list[Function[..., Any]] = []


def function(declaration: Callable[P, A]) -> Function[P, A]:
    """Declare a function of the database by its name, parameters and result; the body is empty."""
    made = Function(declaration)
    _declared.append(made)
    return made


def declared() -> list[Function[..., Any]]:
    """All functions declared by the modules imported so far."""
    return list(_declared)


def _given(values: Mapping[str, str]) -> str:
    return ", ".join(f"{name} => {value}" for name, value in values.items())


def sql_name(parameter: str) -> str:
    """The SQL name of a declared parameter."""
    return f"p_{parameter.rstrip('_')}"


def select(row: type[R], sql: str, params: Sequence[Any] = (), using: str = "default") -> list[R]:
    """Run a statement that is not a function call, and return its rows.

    `row` is a dataclass with the columns as its fields, or the type of the only column. Raises OtherColumnsError.
    """
    with connections[using].cursor() as cursor:
        cursor.execute(sql, params)
        if dataclasses.is_dataclass(row):
            columns = [column.name for column in cursor.description or ()]
            if columns != [one.name for one in dataclasses.fields(row)]:
                raise OtherColumnsError(f"{row.__name__} has other fields than {columns}")
        return cast(list[R], list(_each(row)(_fetched(cursor))))


class ColumnDict:
    """Converts a row to a dictionary for a JSON answer: its columns except `hidden`, its importance as a number.

    Raises ValueError for a hidden column that the row does not have. tests/test_answers.py compares the columns with
    the schema of the answer.
    """

    def __init__(self, row: type[Any], *hidden: str) -> None:
        types = get_type_hints(row)
        if unknown := set(hidden) - set(types):
            raise ValueError(f"{row.__name__} has no {', '.join(sorted(unknown))}")
        self.columns = {name: hint for name, hint in types.items() if name not in hidden}
        names = list(self.columns)
        # attrgetter returns a tuple only for several names
        self._values = attrgetter(*names) if len(names) > 1 else lambda one: (getattr(one, names[0]),)

    def __call__(self, one: Any) -> dict[str, Any]:
        """The columns of a row by name."""
        made = dict(zip(self.columns, self._values(one), strict=True))
        if made.get("importance") is not None:
            made["importance"] = float(made["importance"])
        return made


def _fetched(cursor: CursorWrapper) -> list[tuple[Any, ...]]:
    # asked by rownumber, because psycopg makes an object for each column to answer `description`
    return [] if cursor.rownumber is None else cursor.fetchall()


def _converter(name: str, answer: Any) -> Any:
    if get_origin(answer) is list:
        each = _each(get_args(answer)[0])
        return lambda rows: list(each(rows))
    if answer is type(None):
        return lambda rows: None
    each = _each(answer)

    def only(rows: list[tuple[Any, ...]]) -> Any:
        if len(rows) != 1:
            raise NotOneRowError(f"{name} returned {len(rows)} rows")
        return next(iter(each(rows)))

    return only


def _each(row: Any) -> Callable[[list[tuple[Any, ...]]], Any]:
    if not dataclasses.is_dataclass(row):
        return chain.from_iterable
    return partial(starmap, _builder(cast(Hashable, row)))


@cache
def _builder(row: Any) -> Callable[..., Any]:
    """A faster constructor of a frozen dataclass with slots.

    The original sets every field with `object.__setattr__`, ten times as slow as an assignment: 24 columns take 3.4 µs.
    This one assigns the fields of an unfrozen twin with the same slots, and then changes its class: 0.6 µs.
    """
    fields = [(one.name, Any) for one in dataclasses.fields(row)]
    twin: Any = dataclasses.make_dataclass(row.__name__, fields, slots=True)

    def build(*values: Any) -> Any:
        made = twin(*values)
        made.__class__ = row
        return made

    return build
