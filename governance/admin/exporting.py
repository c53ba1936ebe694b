"""Exports of lists: the filtered rows as CSV or JSON lines, streamed."""

import csv
import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any, ClassVar

from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.views.main import ChangeList
from django.core.exceptions import PermissionDenied
from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponseBadRequest, HttpResponseBase, StreamingHttpResponse
from django.urls import URLPattern, path

from governance.acting import gate
from governance.acting.principals import Principal
from governance.admin.site import principal_of
from governance.ledger import access

#: Rows read at a time, each page in its own transaction.
PAGE = 2_000

FORMATS = {"csv": "text/csv; charset=utf-8", "jsonl": "application/jsonl"}

#: A spreadsheet treats cells with these prefixes as formulas.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")  # noqa: RUF001 (full-width signs count too)


class ExportMixin:
    """Adds `export/` to a list whose rows have ids in order of time. `export_fields` are the columns, as lookups."""

    export_fields: ClassVar[list[str]] = []

    def get_urls(self) -> list[URLPattern]:
        name = f"{self.opts.app_label}_{self.opts.model_name}_export"  # type: ignore[attr-defined] # ModelAdmin's
        wrap = self.admin_site.admin_view  # type: ignore[attr-defined] # ModelAdmin's
        return [path("export/", wrap(self.export_view), name=name), *super().get_urls()]  # type: ignore[misc] # ModelAdmin's

    def export_view(self, request: HttpRequest) -> HttpResponseBase:
        """GET returns all filtered rows, newest first; `as` is csv or jsonl. 400 if a filter found only some of the
        matching rows."""
        if not self.has_view_permission(request):  # type: ignore[attr-defined] # ModelAdmin's
            raise PermissionDenied
        parameters = request.GET.copy()
        wanted = (parameters.pop("as", None) or ["csv"])[-1]
        if wanted not in FORMATS:
            return HttpResponseBadRequest("as must be csv or jsonl.")
        request.GET = parameters  # type: ignore[assignment] # without `as`, only the list's filters
        try:
            changes: ChangeList = self.get_changelist_instance(request)  # type: ignore[attr-defined] # ModelAdmin's
        except IncorrectLookupParameters:
            return HttpResponseBadRequest("A filter has a value that is not valid.")
        if any(getattr(one, "is_cut", False) for one in changes.filter_specs):
            return HttpResponseBadRequest(
                "Too many rows match for one file. Narrow the time range and export in parts."
            )
        principal = principal_of(request)
        name = self.opts.model_name  # type: ignore[attr-defined] # ModelAdmin's
        access.log(
            "audit.exported",
            actor=principal,
            target_type=name,
            details={"as": wanted, "filters": self.exported_filters(request)},
        )
        rows = changes.queryset.order_by("-id")
        lines = _lines(rows, ["id", *self.export_fields], wanted, principal)
        return StreamingHttpResponse(
            lines,
            content_type=FORMATS[wanted],
            headers={"Content-Disposition": f'attachment; filename="{name}-{principal.tenant_slug}.{wanted}"'},
        )

    def exported_filters(self, request: HttpRequest) -> dict[str, list[str]]:
        """The filters, for the access log."""
        return {name: request.GET.getlist(name) for name in request.GET}


def _lines(rows: QuerySet[Any], fields: list[str], wanted: str, principal: Principal) -> Iterator[str]:
    """The lines of a file. Rows are read while lines are sent, after the page's transaction has ended."""
    write = csv.writer(_Line())
    if wanted == "csv":
        yield write.writerow(fields)
    before = None
    while True:
        with gate.acting_as(principal):
            page = list((rows.filter(id__lt=before) if before else rows).values_list(*fields)[:PAGE])
        for values in page:
            plain = [_plain(value) for value in values]
            if wanted == "csv":
                yield write.writerow([_cell(value) for value in plain])
            else:
                yield (
                    json.dumps(dict(zip(fields, plain, strict=True)), cls=DjangoJSONEncoder, ensure_ascii=False) + "\n"
                )
        if len(page) < PAGE:
            return
        before = page[-1][0]


class _Line:
    """A file for csv.writer that returns each line."""

    def write(self, line: str) -> str:
        return line


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()  # the encoder would truncate microseconds
    return bytes(value).hex() if isinstance(value, bytes | memoryview) else value


def _cell(value: Any) -> Any:
    if isinstance(value, dict | list):
        value = json.dumps(value, cls=DjangoJSONEncoder, ensure_ascii=False)
    if isinstance(value, str) and value.startswith(_FORMULA):
        return "'" + value
    return value
