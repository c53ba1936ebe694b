"""Columns that several lists of records share."""

from typing import Any

from django.contrib import admin
from django.utils.html import format_html
from django.utils.safestring import SafeString


@admin.display(description="Record", ordering="id")
def record(row: Any) -> SafeString:
    """The end of the id; a tooltip shows the whole id."""
    return format_html('<code class="target" title="{}">…{}</code>', row.pk, str(row.pk)[-8:])


@admin.display(description="Time (UTC)", ordering="ts")
def happened(row: Any) -> str:
    """The time that the recorder stated."""
    return f"{row.ts:%Y-%m-%d %H:%M}"


@admin.display(description="Withheld")
def withheld(row: Any) -> str | None:
    """Why answers do not return it; None if they do."""
    found = [name for name in ("retracted", "quarantined") if getattr(row, f"is_{name}")]
    if getattr(row, "superseded_by", None) is not None:
        found.append("superseded")
    if row.blocked_channels:
        found.append(f"blocked: {', '.join(row.blocked_channels)}")
    return ", ".join(found) or None
