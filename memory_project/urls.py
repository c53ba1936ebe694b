"""Every address of the server."""

from django.conf import settings
from django.db import transaction
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import include, path
from drf_spectacular.views import SpectacularAPIView, SpectacularRedocView, SpectacularSwaggerView

from governance.admin.site import site
from memory_project import health

handler400 = "governance.http.problems.handler400"
handler403 = "governance.http.problems.handler403"
handler404 = "governance.http.problems.handler404"
handler500 = "governance.http.problems.handler500"


@transaction.non_atomic_requests
def index(request: HttpRequest) -> HttpResponse:
    """The start page: where to find the API and the admin site."""
    return JsonResponse(
        {
            "name": "Suture",
            "version": settings.VERSION,
            "api": "/api/v1/",
            "docs": "/api/docs",
            "schema": "/api/schema",
            "admin": "/admin/",
        }
    )


urlpatterns = [
    path("", index, name="index"),
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("metrics", health.metrics, name="metrics"),
    path("api/schema", SpectacularAPIView.as_view(), name="schema"),
    path("api/docs", SpectacularSwaggerView.as_view(url_name="schema"), name="docs"),
    path("api/redoc", SpectacularRedocView.as_view(url_name="schema"), name="redoc"),
    path("api/v1/", include("governance.urls")),
    path("api/v1/", include("memory.api.urls")),
    path("api/v1/", include("capsules.api.urls")),
    # The one place of the admin: which site serves it, and where.
    path("admin/", site.urls),
]
