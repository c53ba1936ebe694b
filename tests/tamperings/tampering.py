"""One tampering: what a superuser does to a copy of the prepared database, and which commands name what afterwards."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from django.apps import apps
from django.db import connections, transaction

from governance.ledger import published
from tests.ledger.tampering import GUARDS
from tests.tamperings.commands import Answer, Command, answers
from tests.tamperings.prepared import Prepared
from tests.world import World

#: Findings of one command: its exit code is 1, and for each of these texts it prints a line that has all of its parts.
Finds = Sequence[str | tuple[str, ...]]


class Class(StrEnum):
    """The classes of tamperings: the five of the literature, and what they do not name."""

    EDIT = "edit"
    DELETE = "delete"
    REORDER = "reorder"
    INSERT = "insert"
    TRUNCATE = "truncate"
    READERS = "what readers see"
    RECEIPTS = "what the server did not sign"
    AUTHORITY = "authority"
    CHECKER = "the checker itself"
    TREE_HEADS = "published history"


@dataclass(frozen=True)
class Copy:
    """A copy of the prepared database and of its home, to which the connections of this process go."""

    prepared: Prepared
    folder: Path
    #: Ids and the like, by name; a tampering may add some.
    facts: dict[str, Any]

    @property
    def world(self) -> World:
        """The tenant."""
        return self.prepared.world

    @property
    def notes(self) -> Path:
        """The file of published tree heads."""
        return published.path_of(self.world.tenant_id)

    def answers(self) -> dict[Command, Answer]:
        """What each command says of the tenant now."""
        return answers(self.world, self.folder, self.prepared.kept, self.prepared.witness)


@dataclass(frozen=True)
class Tampering:
    """`found` has what each command finds. A command that is not in it exits with 0, and one in `refused` with 2, since
    it cannot look. The texts may name facts: `{event}`."""

    cls: Class
    name: str
    does: Callable[[Copy], None]
    found: Mapping[Command, Finds] = field(default_factory=dict)
    refused: Mapping[Command, str] = field(default_factory=dict)

    def code_of(self, command: Command) -> int:
        """The exit code of a command."""
        return 2 if command in self.refused else int(command in self.found)

    def __str__(self) -> str:
        return f"{self.cls}: {self.name}"


_GUARDS_OF: Final = (
    "SELECT tgrelid::regclass::text, tgname FROM pg_trigger"
    f" WHERE tgfoid IN {GUARDS} AND tgrelid::regclass::text = ANY (%s)"
)


def sql(statements: str, **values: Any) -> Callable[[Copy], None]:
    """Changes rows: with the guards of the tables that it names switched off, and on again afterwards. The statements
    may name facts (`%(event)s`) and `values`."""

    def run(copy: Copy) -> None:
        tables = sorted(set(re.findall(r"\b(?:governance|memory|capsules|capture)_\w+", statements)))
        with transaction.atomic("owner"), connections["owner"].cursor() as cursor:
            cursor.execute(_GUARDS_OF, [tables])
            for table, guard in cursor.fetchall():
                cursor.execute(f'ALTER TABLE {table} DISABLE TRIGGER "{guard}"')
            cursor.execute(statements, {**copy.facts, **values})
            assert cursor.rowcount != 0, statements
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
            cursor.execute("SELECT governance_guard_always()")

    return run


def schema(*statements: str) -> Callable[[Copy], None]:
    """Changes the schema, and leaves it so."""

    def run(copy: Copy) -> None:
        with transaction.atomic("owner"), connections["owner"].cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)

    return run


def both(*parts: Callable[[Copy], None]) -> Callable[[Copy], None]:
    """Does one after the other."""

    def run(copy: Copy) -> None:
        for part in parts:
            part(copy)

    return run


def swapped(table: str, column: str, where: str, one: str, other: str) -> Callable[[Copy], None]:
    """Exchanges the numbers of two rows, which are facts of these names; a number is unique at any time."""
    update = f"UPDATE {table} SET {column} = {{}} WHERE {where} AND {column} = {{}}"
    first, second = f"%({one})s", f"%({other})s"
    return sql("; ".join(update.format(*pair) for pair in (("-1", first), (first, second), (second, "-1"))))


def refolded(statements: str, chunk: str, **values: Any) -> Callable[[Copy], None]:
    """As `sql`, and then folds the memory of the chunk of this name again, as everything that changes an edit does."""

    def fold(copy: Copy) -> None:
        with copy.world.inside("owner"), connections["owner"].cursor() as cursor:
            cursor.execute("SET LOCAL ROLE suture_gate")
            cursor.execute("SELECT refold_chunk(%s, %s)", [copy.world.tenant_id, copy.facts[chunk]])

    return both(sql(statements, **values), fold)


def insert_copy(table: str, row: str, **columns: str) -> str:
    """SQL that inserts a copy of the row whose id is a fact of this name, with these expressions in some columns."""
    model = next(model for model in apps.get_models() if model._meta.db_table == table)
    names = [one.column for one in model._meta.local_concrete_fields if one.column]
    pk = model._meta.pk.column
    values = ", ".join(columns.get(name, name) for name in names)
    return f"INSERT INTO {table} ({', '.join(names)}) SELECT {values} FROM {table} WHERE {pk} = %({row})s;"
