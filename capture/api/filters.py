"""The query parameters of captures and files."""

from typing import Any

from django.db.models import Exists, OuterRef, QuerySet

from capture.models import Capture, FilePlacement, FileVersion
from governance import text
from governance.http.filters import Parameter, ParameterFilter
from governance.inputs import BooleanField, IdField, TextField
from governance.models import Channel
from memory.api.filters import archived, choice, identifier


class CaptureFilter(ParameterFilter):
    """The parameters of the list of captured memory."""

    session_id = identifier()
    source = choice(Capture.Source.choices)
    hook_type = choice(Capture.HookType.choices)
    tool_name = identifier()
    response_type = choice(Capture.ResponseType.choices)
    response_id = Parameter(IdField(required=False, help_text="The chunks of one response."))
    file_path = Parameter(
        TextField(text.REFERENCE, required=False, help_text="The chunks of one file."), method="placed_in"
    )
    channel = choice(Channel.choices, method="unfiltered")
    include_superseded = Parameter(
        BooleanField(
            default=False, help_text="Include memory that was deleted, or replaced by a later version of its file."
        ),
        method="unfiltered",
    )

    include_archived = archived()

    def unfiltered(self, rows: QuerySet[Any], name: str, value: Any) -> QuerySet[Any]:
        """All rows, for any value."""
        return rows

    def placed_in(self, rows: QuerySet[Any], name: str, value: str) -> QuerySet[Any]:
        """The chunks that a version of the file has or had."""
        versions = FileVersion.objects.filter(
            tenant_id=OuterRef("tenant_id"), file_path=value, placed_by__isnull=False
        ).values("placed_by")
        placed = FilePlacement.objects.filter(
            tenant_id=OuterRef("tenant_id"), chunk_id=OuterRef("id"), version_id__in=versions
        )
        return rows.filter(Exists(placed))


class OneCapture(ParameterFilter):
    """The parameters of one captured memory."""

    also_accepted = frozenset()

    channel = choice(Channel.choices)
    include_embeddings = Parameter(
        BooleanField(default=False, help_text="Include its value in each of the thirteen spaces.")
    )


class FileFilter(ParameterFilter):
    """The parameters of the list of captured files."""

    session_id = identifier()
    file_path = Parameter(TextField(text.REFERENCE, required=False))
