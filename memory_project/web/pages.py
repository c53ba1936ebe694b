"""Middleware of pages. A request of the API has a key: it needs no session, no cookie and no static file, and is not
looked at for them."""

from typing import Any

from django.contrib.auth.middleware import AuthenticationMiddleware as Authentication
from django.contrib.messages.middleware import MessageMiddleware as Messages
from django.contrib.sessions.middleware import SessionMiddleware as Sessions
from django.http import HttpRequest
from django.middleware.csrf import CsrfViewMiddleware as Csrf
from whitenoise.middleware import WhiteNoiseMiddleware as WhiteNoise  # type: ignore[import-untyped]

#: Where the API is; every address below it takes keys only.
API = "/api/v1/"


class OfPages:
    """Goes first among the bases of a middleware: passes requests of the API on."""

    get_response: Any

    def __call__(self, request: HttpRequest) -> Any:
        if request.path_info.startswith(API):
            return self.get_response(request)
        return super().__call__(request)  # type: ignore[misc] # of the middleware behind


class AuthenticationMiddleware(OfPages, Authentication):
    """Who is logged in."""


class CsrfViewMiddleware(OfPages, Csrf):
    """Forms of other sites. A view of the API is exempt, as every view of DRF."""


class MessageMiddleware(OfPages, Messages):
    """Messages of the admin."""


class SessionMiddleware(OfPages, Sessions):
    """Sessions of the admin."""


class WhiteNoiseMiddleware(OfPages, WhiteNoise):  # type: ignore[misc] # the package has no types
    """Static files."""
