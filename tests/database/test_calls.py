"""Every declared call of a database function is what the database has: parameters, columns, and their types."""

import dataclasses
import pkgutil
from datetime import datetime, timedelta
from decimal import Decimal
from importlib import import_module
from types import NoneType, UnionType
from typing import Union, get_args, get_origin
from uuid import UUID

import pytest
from pgvector import HalfVector

from governance.acting import gate
from governance.database import typed_calls

#: What Python sees of each type of PostgreSQL; of JSON the text.
TYPES = {
    "uuid": UUID,
    "text": str,
    "bool": bool,
    "int2": int,
    "int4": int,
    "int8": int,
    "numeric": Decimal,
    "float4": float,
    "float8": float,
    "halfvec": HalfVector,
    "bytea": bytes,
    "timestamptz": datetime,
    "interval": timedelta,
    "json": str,
    "jsonb": str,
    "void": NoneType,
}
TYPES |= {f"_{name}": list[value] for name, value in TYPES.items()}  # type: ignore[valid-type] # made, not written

#: Names, modes and types of the parameters of every function; the columns of the answer where its type has them.
CATALOG = """
    SELECT p.proname AS name, p.proretset AS is_set,
        coalesce(p.proargnames, '{}') AS names, coalesce(p.proargmodes::text[], '{}') AS modes,
        ARRAY(SELECT t.typname::text FROM unnest(coalesce(p.proallargtypes, p.proargtypes::oid[]))
              WITH ORDINALITY a (type, n) JOIN pg_type t ON t.oid = a.type ORDER BY a.n) AS types,
        r.typname::text AS answer,
        ARRAY(SELECT ARRAY[c.attname::text, t.typname::text] FROM pg_attribute c JOIN pg_type t ON t.oid = c.atttypid
              WHERE c.attrelid = r.typrelid AND r.typrelid <> 0 AND c.attnum > 0 AND NOT c.attisdropped
              ORDER BY c.attnum) AS columns
    FROM pg_proc p JOIN pg_type r ON r.oid = p.prorettype WHERE p.pronamespace = 'public'::regnamespace
"""


def declared():
    for app in ("governance", "memory", "capsules", "capture"):
        package = import_module(app)
        for module in pkgutil.walk_packages(package.__path__, f"{app}."):
            if module.name.rpartition(".")[2] == "db":
                import_module(module.name)
    return {one.name: one for one in typed_calls.declared() if not one.__module__.startswith("tests.")}


DECLARED = declared()


def without_none(hint):
    """A type without `| None`: the database does not tell which columns may be null."""
    if get_origin(hint) in (Union, UnionType):
        (hint,) = (one for one in get_args(hint) if one is not NoneType)
    return hint


def parameters_of(row):
    modes = row["modes"] or ["i"] * len(row["types"])
    named = zip(row["names"], modes, row["types"], strict=True)
    return {name: TYPES[type] for name, mode, type in named if mode in "iv"}


def columns_of(row):
    """The columns of the answer with their types, in order; of a single value its type alone."""
    named = zip(row["names"], row["modes"], row["types"], strict=True) if row["modes"] else ()
    columns = [(name, TYPES[type]) for name, mode, type in named if mode in "ot"]
    return columns or [(name, TYPES[type]) for name, type in row["columns"]] or [(None, TYPES[row["answer"]])]


def both_sides(function, row):
    """Parameters and columns of a declared call, and those of the database."""
    declared = {typed_calls.sql_name(name): without_none(hint) for name, hint in function.parameters.items()}
    if function.fields:
        columns = [(one.name, without_none(one.type)) for one in dataclasses.fields(function.row)]
        return (declared, columns), (parameters_of(row), columns_of(row))
    return (declared, [without_none(function.row)]), (parameters_of(row), [type for _, type in columns_of(row)])


@pytest.mark.django_db
def test_the_declared_calls_are_those_of_the_database():
    catalog = {row["name"]: row for row in gate.rows(CATALOG, ())}
    different = dict.fromkeys(DECLARED.keys() - catalog.keys(), "the database has no such function")
    for name in DECLARED.keys() & catalog.keys():
        function, row = DECLARED[name], catalog[name]
        declared, found = both_sides(function, row)
        if declared != found:
            different[name] = f"declared {declared}, in the database {found}"
        # exactly one row may be that of a set
        elif get_origin(function.answer) is list and not row["is_set"]:
            different[name] = "declared as a list, in the database a single row"
    assert not different, "\n".join(f"{name}: {what}" for name, what in sorted(different.items()))


@pytest.mark.pure
def test_every_function_is_declared_once():
    names = [one.name for one in typed_calls.declared()]
    assert len(names) == len(set(names))
    assert len(DECLARED) > 15


@pytest.mark.django_db
def test_a_row_with_other_fields_is_noticed():
    @dataclasses.dataclass(frozen=True, slots=True)
    class Pair:
        one: int
        two: int

    assert typed_calls.select(Pair, "SELECT 1 AS one, 2 AS two") == [Pair(1, 2)]
    with pytest.raises(typed_calls.OtherColumnsError, match="Pair"):
        typed_calls.select(Pair, "SELECT 1 AS one, 2 AS three")


@pytest.mark.django_db
def test_the_constructor_of_a_row_is_made_once(monkeypatch):
    """To make one takes about a millisecond."""

    @dataclasses.dataclass(frozen=True, slots=True)
    class Lone:
        one: int

    made = []
    make = dataclasses.make_dataclass

    def making(*args, **more):
        made.append(args)
        return make(*args, **more)

    monkeypatch.setattr(dataclasses, "make_dataclass", making)
    for number in (1, 2):
        assert typed_calls.select(Lone, "SELECT %s AS one", [number]) == [Lone(number)]
    assert len(made) == 1


@pytest.mark.django_db
def test_a_row_is_immutable():
    @dataclasses.dataclass(frozen=True, slots=True)
    class Alone:
        one: int

    (row,) = typed_calls.select(Alone, "SELECT 1 AS one")
    assert (type(row), row) == (Alone, Alone(1))
    with pytest.raises(dataclasses.FrozenInstanceError):
        row.one = 2  # type: ignore[misc] # what mypy says too


@pytest.mark.pure
def test_a_hidden_column_must_exist():
    @dataclasses.dataclass(frozen=True, slots=True)
    class Alone:
        one: int

    assert typed_calls.ColumnDict(Alone)(Alone(1)) == {"one": 1}
    with pytest.raises(ValueError, match="two"):
        typed_calls.ColumnDict(Alone, "two")
