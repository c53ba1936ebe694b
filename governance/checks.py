"""System checks for mistakes that a developer would not notice."""

from collections.abc import Iterator, Sequence
from typing import Any

from django.apps import apps
from django.core.checks import CheckMessage, Error, Tags, Warning, register
from django.db import connections

from governance.database import functions
from governance.database.triggers import DenyChange, DenyChangeUnlessErased, DenyTruncate, NoteRecorded
from governance.edits import targets
from governance.ledger import sealed_kinds
from governance.models import AppendOnlyModel, SealedModel


def _descendants(model: type[Any]) -> list[type[Any]]:
    return [child for direct in model.__subclasses__() for child in (direct, *_descendants(direct))]


@register()
def append_only_tables_declare_their_guards(**_: Any) -> list[CheckMessage]:
    """A child with its own Meta that does not inherit AppendOnlyModel.Meta silently has no guards."""
    found: list[CheckMessage] = []
    for model in _descendants(AppendOnlyModel):
        if model._meta.abstract:
            continue
        kinds = {type(trigger) for trigger in getattr(model._meta, "triggers", [])}
        if not (DenyTruncate in kinds and kinds & {DenyChange, DenyChangeUnlessErased}):
            found.append(
                Error(
                    f"{model.__name__} is append-only but has no guards.",
                    hint="Write `class Meta(AppendOnlyModel.Meta):`.",
                    obj=model,
                    id="governance.E001",
                )
            )
    return found


@register()
def sealed_tables_note_what_is_recorded(**_: Any) -> list[CheckMessage]:
    """Rows of a table without the trigger would have no receipt, and no seal would take them."""
    noting = {
        model._meta.db_table
        for model in _descendants(SealedModel)
        if any(isinstance(trigger, NoteRecorded) for trigger in getattr(model._meta, "triggers", []))
    }
    return [
        Error(
            f"The rows of {kind.table} are sealed, and no trigger notes them for receipts.",
            hint="Derive its model from SealedModel, and write `class Meta(SealedModel.Meta):`.",
            id="governance.E003",
        )
        for kind in sealed_kinds.kinds()
        if kind.table not in noting
    ]


def _needed_functions() -> Iterator[tuple[str, str]]:
    """Every function that the database looks up by name, and what needs it."""
    for name in targets.names():
        for prefix in targets.FUNCTIONS:
            yield f"{prefix}{name}", f"the kind of target {name}"
    for kind in sealed_kinds.kinds():
        yield f"leaves_of_{kind.name}", f"the sealed kind {kind.name}"


@register()
def registered_kinds_have_their_functions(**_: Any) -> list[CheckMessage]:
    """Without its functions, the first write of a kind of target or of sealed rows would fail."""
    defined = {name for config in apps.get_app_configs() for name in functions.definitions(config.label)}
    return [
        Error(
            f"There is no function {name}, which {owner} needs.",
            hint=f"Define it in <app>/sql/functions/{name}.sql; CONTRIBUTING.md says what it does.",
            id="governance.E002",
        )
        for name, owner in _needed_functions()
        if name not in defined
    ]


@register(Tags.database)
def the_database_has_the_functions_of_registered_kinds(
    databases: Sequence[str] | None = None, **_: Any
) -> list[CheckMessage]:
    """A warning, since `migrate` runs this before it makes them."""
    found: list[CheckMessage] = []
    for alias in databases or ():
        with connections[alias].cursor() as cursor:
            cursor.execute("SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace")
            present = {name for (name,) in cursor.fetchall()}
        if "context_tenant" not in present:
            continue  # nothing is migrated yet
        found += [
            Warning(
                f"The database {alias!r} has no function {name}, which {owner} needs.",
                hint="Run `manage.py migrate`.",
                id="governance.W001",
            )
            for name, owner in _needed_functions()
            if name not in present
        ]
    return found
