"""Report differences between the entries and the rows."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Model

from governance.ledger.comparisons import Comparison
from governance.models import User
from suture_verify.findings import ROWS, Kind, Row


def report(
    comparison: Comparison,
    model: type[Model],
    row_id: object,
    detail: str,
    *,
    field: str | None = None,
    found: object = None,
    expected: object = None,
) -> None:
    """Add a finding about a row of `model`; `detail` is a sentence, to which the row is appended."""
    table = model._meta.db_table
    comparison.findings.add(
        Kind.UNPROVEN_AUTHORITY,
        ROWS,
        None,
        f"{detail} ({table} {row_id})",
        row=Row(table, str(row_id), field),
        found=_text(found),
        expected=_text(expected),
    )


def compare_fields(
    comparison: Comparison, model: type[Model], row_id: object, of: str, found: dict[str, Any], expected: dict[str, Any]
) -> None:
    """Add a finding for each field of a row that differs from the entries. `of` names the row in a sentence: "the key
    1234abcd"."""
    for field, value in expected.items():
        if found[field] != value:
            detail = f"{field} of {of} is {_text(found[field])}, but the entries say {_text(value)}"
            report(comparison, model, row_id, detail, field=field, found=found[field], expected=value)


def moment(text: object) -> datetime | None:
    """The time in an entry; None if it has none."""
    return datetime.fromisoformat(text) if isinstance(text, str) else None


def names_of(comparison: Comparison, users: set[str]) -> dict[str, str]:
    """The usernames of people, by id; the id of a person without an account."""
    found = User.objects.using(comparison.using).filter(id__in=users).values_list("id", "username")
    return {**{user: user for user in users}, **{str(id): name for id, name in found}}


def _text(value: object) -> str:
    match value:
        case datetime():
            return value.isoformat()
        case None:
            return "nothing"
        case UUID() | str() | int() | float():
            return str(value)
        case _:
            return repr(value)
