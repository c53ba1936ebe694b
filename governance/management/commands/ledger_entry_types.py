from collections.abc import Iterator
from typing import Any

from django.core.management.base import BaseCommand

from governance.ledger.entry_types import ACTOR, EntryType, registered

INTRODUCTION = f"""\
<!-- Made by `manage.py ledger_entry_types > docs/ledger-entries.md`. Do not edit by hand. -->

# Ledger entries

Every act in a tenant appends one of these entries to the [ledger](ledger.md). Each app declares its own types in `entry_types.py`, and the server refuses an entry that is not declared. The metadata of every entry also has `{ACTOR}`: the kind, the id and the name of who acted.
"""  # noqa: E501


class Command(BaseCommand):
    help = (
        "Print the documentation of all types of ledger entries: manage.py ledger_entry_types > docs/ledger-entries.md"
    )
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write("\n".join(page()))


def page() -> Iterator[str]:
    """The lines of the page."""
    types = registered()
    yield INTRODUCTION
    yield "| type | label in the admin | appended when |"
    yield "|---|---|---|"
    for type in types:
        yield f"| [`{type.name}`](#{_anchor(type)}) | {type.label} | {type.appended} |"
    for type in types:
        yield from _section(type)


def _section(type: EntryType) -> Iterator[str]:
    yield ""
    yield f'## <a id="{_anchor(type)}"></a>{type.name}'
    yield ""
    yield f"*{type.label}*, in {type.chains}. Appended when {type.appended}."
    if type.fields:
        yield ""
        yield "| field | value | present | meaning |"
        yield "|---|---|---|---|"
        for field in type.fields:
            yield f"| `{field.name}` | {field.shape.name} | {field.presence} | {field.meaning} |"


def _anchor(type: EntryType) -> str:
    return type.name.replace(".", "-").replace("_", "-")
