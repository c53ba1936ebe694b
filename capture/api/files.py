"""Views of captured files."""

from typing import Any

from django.db.models import TextField as TextModelField
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from capture.api import shapes
from capture.api.filters import FileFilter
from capture.models import FileVersion
from capture.services import files
from capture.services.files import FileChunk, FilePart
from governance.acting import gate
from governance.http import receipts
from governance.http.idempotency import IdempotentMixin
from governance.http.pagination import SCHEMA_PARAMETERS, envelope, page_of_rows, page_schema
from governance.http.views import GovernedView


def file_json(version: FileVersion) -> dict[str, Any]:
    """The latest version of a file, as JSON for its recorder."""
    names = ("session_id", "file_path", "number", "change", "file_hash", "total_chunks", "ts")
    is_deleted = version.change == FileVersion.Change.DELETED
    return {"version_id": version.id, "is_deleted": is_deleted, **{name: getattr(version, name) for name in names}}


class FilesView(IdempotentMixin, GovernedView):
    """Store a part of a version of a file, or list the files that you have captured."""

    reads_query = True
    #: Embedding takes seconds, so it happens before a transaction opens.
    enters_each_statement = True

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """After the usual checks, read and embed the part of a POST."""
        super().initial(request, *args, **kwargs)
        if request.method == "POST":
            self.part = self._read(request)
            self.embedded = files.embed_part(self.part, actor=self.principal)

    @extend_schema(
        operation_id="files_store",
        summary="Store a version of a file",
        request=shapes.FilePartInput,
        responses={201: shapes.StoredPartOutput, 200: shapes.StoredPartOutput},
        description="A version of a file, in one or more parts. Nothing is visible before the part with `is_last`,"
        " which makes the version current in one transaction. A part that is sent again is stored once. A chunk with"
        " the same text as one of the current version remains that chunk, with its edits.",
    )
    def post(self, request: Request) -> Response:
        with gate.entered():
            made = files.store_part(self.part, actor=self.principal, embedded=self.embedded)
            code = status.HTTP_200_OK if made.status == "unchanged" else status.HTTP_201_CREATED
            response = Response(
                {
                    "version_id": self.part.version_id,
                    "status": made.status,
                    "total_chunks": made.total_chunks,
                    "added": made.added,
                    "kept": made.kept,
                    "superseded": made.superseded,
                    "redacted": dict(made.redacted),
                    "quarantined_chunk_ids": list(made.quarantined_chunk_ids),
                },
                code,
            )
            receipts.take(request, response)
        return response

    def _read(self, request: Request) -> FilePart:
        shapes.require_session(request.data)
        values = shapes.FilePartInput.of(request.data)
        del values["redacted"]
        return FilePart(
            **{
                **values,
                "chunks": [FileChunk(**chunk) for chunk in values["chunks"]],
                "channel": values.get("channel") or self.principal.default_channel(),
                "tags": tuple(values["tags"]),
                "ts": timezone.now(),
            }
        )

    @extend_schema(
        operation_id="files_list",
        summary="List captured files",
        parameters=[FileFilter.schema(), *SCHEMA_PARAMETERS],
        responses=page_schema("FilePage", shapes.FileOutput),
        description="The files that you have captured, by session and path; renamed files have their new path.",
    )
    def get(self, request: Request) -> Response:
        values = FileFilter.read(request).values

        def fetch(after: tuple[str, str] | None, limit: int) -> list[dict[str, Any]]:
            with gate.entered():
                return [file_json(one) for one in files.list_files(self.principal, after=after, limit=limit, **values)]

        texts = (TextModelField(), TextModelField())
        found, following = page_of_rows(fetch, request, key=("session_id", "file_path"), scope="files", fields=texts)
        return Response(envelope(found, following))


class DeletedView(IdempotentMixin, GovernedView):
    """Report that a file was deleted: its chunks are kept and marked."""

    @extend_schema(operation_id="files_deleted", request=shapes.FileInput, responses=shapes.FileChunksOutput)
    def post(self, request: Request) -> Response:
        shapes.require_session(request.data)
        values = shapes.FileInput.of(request.data)
        chunks = files.mark_file_deleted(values["session_id"], values["file_path"], actor=self.principal)
        return Response({"chunks": chunks})


class RenamedView(IdempotentMixin, GovernedView):
    """Report that a file was renamed: its chunks stay the same."""

    @extend_schema(operation_id="files_renamed", request=shapes.RenameInput, responses=shapes.FileChunksOutput)
    def post(self, request: Request) -> Response:
        shapes.require_session(request.data)
        values = shapes.RenameInput.of(request.data)
        chunks = files.rename_file(
            values["session_id"], values["file_path"], values["new_file_path"], actor=self.principal
        )
        return Response({"chunks": chunks})
