"""One tampering: what a superuser does to a copy of the prepared database, and which commands name what afterwards."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from django.apps import apps
from django.db import connections, transaction

from governance.ledger import published_tree_heads
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
        return published_tree_heads.path_of(self.world.tenant_id)

    def planting(self, number: int) -> "Copy":
        """The same copy for one of several tamperings: what it plants has an id of its own."""
        return replace(self, facts={**self.facts, "forged": f"00000000-0000-7000-8000-{number:04x}0000000f"})

    def answers(self) -> dict[Command, Answer]:
        """What each command says of the tenant now."""
        return answers(self.world, self.folder, self.prepared.kept, self.prepared.witness)


@dataclass(frozen=True)
class Change:
    """Something that is done to a copy. It touches these rows, which are facts by name, or, where there are none, all
    of these tables and other objects of the database."""

    does: Callable[[Copy], None]
    rows: frozenset[str] = frozenset()
    objects: frozenset[str] = frozenset()

    def __call__(self, copy: Copy) -> None:
        self.does(copy)

    def may_hide(self, other: "Change") -> bool:
        """Whether one of the two may change what the other one does."""
        all_of_one = not (self.rows and other.rows) and self.objects & other.objects
        return bool(self.rows & other.rows or all_of_one)


@dataclass(frozen=True)
class Tampering:
    """`found` has what each command finds. A command that is not in it exits with 0, and one in `refused` with 2, since
    it cannot look. The texts may name facts: `{event}`. One that hides what others did, or does something else than a
    `Change`, has a copy for itself."""

    cls: Class
    name: str
    does: Callable[[Copy], None]
    found: Mapping[Command, Finds] = field(default_factory=dict)
    refused: Mapping[Command, str] = field(default_factory=dict)
    hides_others: bool = False

    def code_of(self, command: Command) -> int:
        """The exit code of a command."""
        return 2 if command in self.refused else int(command in self.found)

    def goes_with(self, other: "Tampering") -> bool:
        """Whether both can be tried in one copy: the same commands find them, in other rows, and neither hides the
        other."""
        one, two = self.does, other.does
        if not (isinstance(one, Change) and isinstance(two, Change)):
            return False
        if any(each.hides_others or each.refused for each in (self, other)) or self.found.keys() != other.found.keys():
            return False
        return not (one.may_hide(two) or self._named & other._named)

    @property
    def _named(self) -> set[str]:
        """The facts that its findings name. `check_ledger` names a tenant once for all its faults."""
        named = {
            name
            for command, finds in self.found.items()
            for name in re.findall(r"{(\w+?)(?:_at)?}", str(finds))
            if name != "slug" or command is Command.CHECK_LEDGER
        }
        return named - {"forged", "bob"}

    def __str__(self) -> str:
        return f"{self.cls}: {self.name}"


#: The roles of the server, which many changes of the schema name.
_OF_EVERYBODY: Final = {"suture_app", "suture_gate", "suture_owner"}
_GUARDS_OF: Final = (
    "SELECT tgrelid::regclass::text, tgname FROM pg_trigger"
    f" WHERE tgfoid IN {GUARDS} AND tgrelid::regclass::text = ANY (%s)"
)


def sql(statements: str, **values: Any) -> Change:
    """Changes rows: with the guards of the tables that it names switched off, and on again afterwards. The statements
    may name facts (`%(event)s`) and `values`."""
    tables = frozenset(re.findall(r"\b(?:governance|memory|capsules|capture)_\w+", statements))
    # a leaf is of a row
    rows = frozenset(re.findall(r"%\((\w+?)(?:_at)?\)s", statements)) - {"tenant", "forged", "bob", *values}

    def run(copy: Copy) -> None:
        with transaction.atomic("owner"), connections["owner"].cursor() as cursor:
            cursor.execute(_GUARDS_OF, [sorted(tables)])
            for table, guard in cursor.fetchall():
                cursor.execute(f'ALTER TABLE {table} DISABLE TRIGGER "{guard}"')
            cursor.execute(statements, {**copy.facts, **values})
            assert cursor.rowcount != 0, statements
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
            cursor.execute("SELECT governance_guard_always()")

    return Change(run, rows, tables)


def schema(*statements: str) -> Change:
    """Changes the schema, and leaves it so."""
    named = {word for statement in statements for word in re.findall(r"\b[a-z_]+\b", statement)}

    def run(copy: Copy) -> None:
        with transaction.atomic("owner"), connections["owner"].cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)

    return Change(run, objects=frozenset(named - _OF_EVERYBODY))


def both(*parts: Change) -> Change:
    """Does one after the other."""

    def run(copy: Copy) -> None:
        for part in parts:
            part(copy)

    rows = frozenset(row for part in parts for row in part.rows)
    return Change(run, rows, frozenset(one for part in parts for one in part.objects))


def swapped(table: str, column: str, where: str, one: str, other: str) -> Change:
    """Exchanges the numbers of two rows, which are facts of these names; a number is unique at any time."""
    update = f"UPDATE {table} SET {column} = {{}} WHERE {where} AND {column} = {{}}"
    first, second = f"%({one})s", f"%({other})s"
    return sql("; ".join(update.format(*pair) for pair in (("-1", first), (first, second), (second, "-1"))))


def refolded(statements: str, chunk: str, **values: Any) -> Change:
    """As `sql`, and then folds the memory of the chunk of this name again, as everything that changes an edit does."""

    def fold(copy: Copy) -> None:
        with copy.world.inside("owner"), connections["owner"].cursor() as cursor:
            cursor.execute("SET LOCAL ROLE suture_gate")
            cursor.execute("SELECT refold_chunk(%s, %s)", [copy.world.tenant_id, copy.facts[chunk]])

    return both(sql(statements, **values), Change(fold, frozenset({chunk})))


def insert_copy(table: str, row: str, **columns: str) -> str:
    """SQL that inserts a copy of the row whose id is a fact of this name, with these expressions in some columns."""
    model = next(model for model in apps.get_models() if model._meta.db_table == table)
    names = [one.column for one in model._meta.local_concrete_fields if one.column]
    pk = model._meta.pk.column
    values = ", ".join(columns.get(name, name) for name in names)
    return f"INSERT INTO {table} ({', '.join(names)}) SELECT {values} FROM {table} WHERE {pk} = %({row})s;"
