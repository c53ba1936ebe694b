"""Authentication by `Authorization: Bearer <key>`: the key determines the actor and the tenant."""

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from governance.acting import gate
from governance.acting.principals import Principal


class MalformedAuthorization(gate.KeyRefused):
    """The Authorization header must be `Bearer <key>`."""


class KeyAuthentication(BaseAuthentication):
    """Look up the key and enter its tenant for the request's transaction (ATOMIC_REQUESTS). In a view whose statements
    each open their own context, the first statement looks up the key (governance/http/views.py)."""

    def authenticate(self, request: Request) -> tuple[Principal, None] | None:
        """The key's owner, or None without a credential. Raises KeyRefused for one that is not valid."""
        header = request.META.get("HTTP_AUTHORIZATION")
        if header is None:
            return None
        scheme, _, key = header.partition(" ")
        if scheme.lower() != "bearer" or not key.strip() or not key.isascii():
            raise MalformedAuthorization
        # OPTIONS runs no statement that could verify the cached owner.
        enters_each = request.method != "OPTIONS" and getattr(
            (request.parser_context or {}).get("view"), "enters_each_statement", False
        )
        principal = (gate.recognise if enters_each else gate.authenticate)(key.strip())
        # The request log reads it there; it cannot be imported from here.
        request._request.principal = principal  # type: ignore[attr-defined]
        return principal, None

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


class KeyAuthenticationScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """How the schema shows it."""

    target_class = "governance.http.authentication.KeyAuthentication"
    name = "apiKey"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer", "description": "An agent's or a person's API key."}
