"""The base of every list of the admin: the session's tenant, read-only, without a full count."""

from typing import Any
from uuid import UUID

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from unfold.admin import ModelAdmin

from governance.admin.paging import BoundedPaginator, ContinuedChangeList
from governance.admin.site import principal_in, principal_of


class ReadOnlyAdmin(ModelAdmin):  # type: ignore[misc] # Unfold has no types
    """A read-only list: adding, changing and deleting is refused, also by the database."""

    actions: list[str] | None = None
    icon = "table_rows"  # in the sidebar, by its name among the Material symbols
    change_form_template = "admin/governance/row.html"
    change_list_template = "admin/governance/list.html"
    exclude = ["tenant"]
    list_per_page = 50
    paginator = BoundedPaginator
    show_facets = admin.ShowFacets.NEVER  # they need a full count for every choice of every filter
    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        principal = principal_in(request)
        return principal is not None and principal.reads_all_edits

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows: QuerySet[Any] = super().get_queryset(request)
        return rows.filter(tenant_id=principal_of(request).tenant_id)

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ContinuedChangeList]:
        return ContinuedChangeList

    def get_changelist_instance(self, request: HttpRequest) -> Any:
        changes = super().get_changelist_instance(request)
        changes.full_result_count = changes.result_count  # otherwise the title offers "show all" for unfiltered lists
        return changes

    def get_or_404(self, request: HttpRequest, object_id: str) -> Any:
        """The row of this tenant. Raises Http404, also for another tenant's row."""
        found = self.get_object(request, object_id)
        if found is None:
            raise Http404
        return found

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Answer 404 for an unknown id; Django would redirect to the home page."""
        context = {"story_of": self.story_of(self.get_or_404(request, object_id)), **(extra_context or {})}
        return super().change_view(request, object_id, form_url, context)  # type: ignore[no-any-return] # Unfold has no types

    def story_of(self, row: Any) -> UUID | None:
        """The id of the story page that the row links to; None for no link."""
