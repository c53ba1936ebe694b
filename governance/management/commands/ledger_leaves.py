from collections.abc import Iterator, Sequence
from typing import Any

from django.core.management.base import BaseCommand

from governance.ledger import sealed_kinds
from suture_verify.leaves import Column, Element, Gathered, Group, LeafForm, TextDigest, Type, Words

INTRODUCTION = """\
<!-- Made by `manage.py ledger_leaves > docs/ledger-leaves.md`. Do not edit by hand. -->

# Leaves of the ledger

A leaf of a tenant's [Merkle tree](glossary.md#merkle-tree) is the SHA-256 of a byte 0x00 and one row as a JSON array (UTF-8). Each kind of rows has a form: the elements of its array, in order. The array begins with the form's name, the tenant and the id of the row. A form never changes; a new one gets a new name.

The text is what PostgreSQL prints of a `jsonb`: `, ` between the elements, `: ` after the keys of objects, no other spaces. Keys of objects are ordered by their length in bytes, then by their bytes. In strings, `"` and `\\` have a backslash before them, U+0008, U+0009, U+000A, U+000C and U+000D are `\\b`, `\\t`, `\\n`, `\\f` and `\\r`, the other characters below U+0020 are `\\u001f` and the like, and all others are themselves. What is NULL in the row is `null`.

A row with words names their content row by its id. The leaf has the hash of the words (the SHA-256 of the salt and the words) from that row, or, after an erasure, from what stays of it.
"""  # noqa: E501


class Command(BaseCommand):
    help = "Print the documentation of the form of all leaves: manage.py ledger_leaves > docs/ledger-leaves.md"
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write("\n".join(page()))


def page() -> Iterator[str]:
    """The lines of the page."""
    yield INTRODUCTION
    yield "| type | in the array |"
    yield "|---|---|"
    for type in Type:
        yield f"| {type} | {type.meaning} |"
    for kind in sealed_kinds.kinds():
        yield from _section(kind.name, kind.table, kind.form)


def _section(name: str, table: str, form: LeafForm) -> Iterator[str]:
    yield ""
    yield f"## {name}"
    yield ""
    yield f"Rows of `{table}`."
    yield ""
    yield "| element | column | type |"
    yield "|---|---|---|"
    yield f"| 0 | | the string `{form.name}` |"
    yield from _elements(form.elements, "", 1)


def _elements(elements: Sequence[Element], before: str, first: int) -> Iterator[str]:
    for number, element in enumerate(elements, first):
        place = f"{before}{number}"
        if isinstance(element, Group):
            yield f"| {place} | | an array of: |"
            yield from _elements(element.elements, f"{place}.", 0)
        else:
            yield f"| {place} | {_described(element)} |"


def _described(element: Column | Words | TextDigest | Gathered) -> str:
    match element:
        case Column(name, type):
            return f"`{name}` | {type}"
        case Words(column):
            return f"`{column}` | bytes: the hash of the words in this content row"
        case TextDigest(column):
            return f"`{column}` | bytes: the SHA-256 of the text of this JSON"
        case Gathered(table, key, order, columns):
            names = ", ".join(f"`{column.name}`" for column in columns)
            of = f"{names} of the rows of `{table}` whose `{key}` is this row's id, ordered by `{order}`"
            if len(columns) == 1:
                return f"| an array of numbers: {of}"
            return (
                f"| bytes: the SHA-256 of one line a row (with U+000A between them), a space between the values: {of}"
            )
