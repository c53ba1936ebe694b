"""The URLs of the server."""

from csp.decorators import csp_update
from django.conf import settings
from django.db import transaction
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.urls import include, path
from django.utils.cache import patch_vary_headers
from drf_spectacular.views import SpectacularAPIView, SpectacularRedocView, SpectacularSwaggerSplitView

from governance.admin.site import site
from memory_project.web import protected_resource

handler400 = "governance.http.problems.handler400"
handler403 = "governance.http.problems.handler403"
handler404 = "governance.http.problems.handler404"
handler500 = "governance.http.problems.handler500"


@transaction.non_atomic_requests
def index(request: HttpRequest) -> HttpResponse:
    """The start page: redirect browsers to the admin site; return the addresses of the API and the site to others."""
    if request.accepts("text/html") and "text/html" in request.headers.get("Accept", ""):
        answer: HttpResponse = redirect("admin:index")
    else:
        answer = _places()
    patch_vary_headers(answer, ["Accept"])
    return answer


def _places() -> JsonResponse:
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


#: Redoc runs its search in a worker that it creates from a blob.
redoc = csp_update({"worker-src": ["blob:"]})(SpectacularRedocView.as_view(url_name="schema"))

urlpatterns = [
    path("", index, name="index"),
    path("api/schema", SpectacularAPIView.as_view(), name="schema"),
    # its script is a separate response, because the content security policy allows no inline scripts
    path("api/docs", SpectacularSwaggerSplitView.as_view(url_name="schema"), name="docs"),
    path("api/redoc", redoc, name="redoc"),
    path("api/v1/", include("governance.urls")),
    path("api/v1/", include("memory.api.urls")),
    path("api/v1/", include("capsules.api.urls")),
    path("api/v1/", include("capture.api.urls")),
    # RFC 9728 appends the resource's path; some clients omit it
    path(f"{protected_resource.METADATA_PATH[1:]}", protected_resource.metadata, name="protected-resource"),
    path(f"{protected_resource.METADATA_PATH[1:]}{protected_resource.MCP_PATH}", protected_resource.metadata),
    # The only place that sets the admin's site and address.
    path("admin/", site.urls),
]
