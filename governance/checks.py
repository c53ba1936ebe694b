"""System checks for what a developer can get wrong without noticing."""

from typing import Any

from django.core.checks import CheckMessage, Error, register

from governance.database.triggers import DenyChange, DenyChangeUnlessErased, DenyTruncate
from governance.models import AppendOnlyModel


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
                    f"{model.__name__} is append-only but declares no guards.",
                    hint="Write `class Meta(AppendOnlyModel.Meta):`.",
                    obj=model,
                    id="governance.E001",
                )
            )
    return found
