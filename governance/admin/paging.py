"""The pages of a list of the admin: numbered up to a bound, and beyond it each from the last row of the one before."""

from typing import Any

from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.utils import get_fields_from_path
from django.core.exceptions import FieldDoesNotExist, ValidationError
from django.core.paginator import Paginator
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils.functional import cached_property
from unfold.views import ChangeList

from governance.http.pagination import beyond

#: The most rows that a list counts and numbers the pages of: counting and skipping more is slow.
LISTED_AT_MOST = 10_000

#: The parameter with the primary key of the last row of the page before.
AFTER = "after"


class BoundedPaginator(Paginator):  # type: ignore[type-arg] # generic in the stubs only
    """Counts and numbers up to LISTED_AT_MOST rows."""

    template_name = "admin/governance/pages.html"

    @cached_property
    def count(self) -> int:
        return min(self._found, LISTED_AT_MOST)

    @property
    def is_cut(self) -> bool:
        """Whether there are more rows than are counted."""
        return self._found > LISTED_AT_MOST

    @property
    def counted(self) -> str:
        """The number of rows as people read it: `1,234`, or `10,000+` if there are more."""
        return f"{self.count:,}{'+' if self.is_cut else ''}"

    @cached_property
    def _found(self) -> int:
        rows: QuerySet[Any] = self.object_list  # type: ignore[assignment] # the stubs allow any sequence; ours is always a QuerySet
        return rows.order_by()[: LISTED_AT_MOST + 1].count()


class ContinuedChangeList(ChangeList):  # type: ignore[misc] # Unfold has no types
    """A list that continues behind its last numbered page. There, the parameter `after` replaces the page's number."""

    #: The query string of the next page, where numbers do not lead to it.
    following: str | None = None

    def __init__(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        parameters = request.GET.copy()
        self.after = parameters.get(AFTER)
        parameters.pop(AFTER, None)
        request.GET = parameters  # type: ignore[assignment] # mutable, which the stubs forbid: links must not keep `after`
        super().__init__(request, *args, **kwargs)

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        if self.after is not None:
            rows = list(self.queryset.filter(self._behind(self.after))[: self.list_per_page + 1])
            has_more = len(rows) > self.list_per_page
            self.result_list = rows[: self.list_per_page]
        else:
            has_more = self.paginator.is_cut and self.page_num == self.paginator.num_pages
        if has_more:
            self.following = self.get_query_string({AFTER: list(self.result_list)[-1].pk})

    def _behind(self, key: str) -> Q:
        """The rows behind the one with this key. Raises IncorrectLookupParameters if there is no such row."""
        order = [str(name) for name in self.queryset.query.order_by]
        names = [name.removeprefix("-") for name in order]
        try:
            pk = self.lookup_opts.pk.to_python(key)
        except ValidationError as error:
            raise IncorrectLookupParameters(error) from error
        if names[0] in ("pk", self.lookup_opts.pk.name):
            return beyond(order[:1], [pk])  # also if the row is gone, as those of a queue are
        values = self.root_queryset.filter(pk=pk).values_list(*names).first()
        if values is None:
            raise IncorrectLookupParameters(f"There is no row {key}.")
        return beyond(order, values, nullable={name for name in names if self._may_be_null(name)})

    def _may_be_null(self, name: str) -> bool:
        try:
            return bool(get_fields_from_path(self.model, name)[-1].null)
        except FieldDoesNotExist:
            return name != "pk"  # an annotation, which may be NULL
