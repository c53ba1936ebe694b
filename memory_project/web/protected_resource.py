"""The metadata of /mcp for OAuth clients (RFC 9728): it accepts bearer keys, and no server issues tokens."""

from django.conf import settings
from django.db import transaction
from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_safe

from memory_project.web.origins import public_address

MCP_PATH = "/mcp"
METADATA_PATH = "/.well-known/oauth-protected-resource"


@transaction.non_atomic_requests
@require_safe
def metadata(request: HttpRequest) -> JsonResponse:
    """Return the metadata of the protected resource /mcp. It names no authorization server: an admin issues the
    keys."""
    address = public_address(request.scheme or "http", request.get_host(), settings.CSRF_TRUSTED_ORIGINS)
    return JsonResponse(
        {
            "resource": f"{address}{MCP_PATH}",
            "resource_name": "Suture",
            "bearer_methods_supported": ["header"],
            "resource_documentation": f"{address}/api/docs",
        }
    )


def challenge(scheme: str, host: str, *, refused: str | None) -> str:
    """The WWW-Authenticate header for a request without a key, or with a key that was `refused` for a reason."""
    address = public_address(scheme, host, settings.CSRF_TRUSTED_ORIGINS)
    where = f'resource_metadata="{address}{METADATA_PATH}{MCP_PATH}"'
    if refused is None:
        return f"Bearer {where}"
    said = refused.replace("\\", "").replace('"', "'")
    return f'Bearer error="invalid_token", error_description="{said}", {where}'
