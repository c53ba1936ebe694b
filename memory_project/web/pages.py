"""Middleware for pages only. API requests have a key: they need no session, no cookie and no static file."""

from typing import Any

from django.contrib.auth.middleware import AuthenticationMiddleware as Authentication
from django.contrib.messages.middleware import MessageMiddleware as Messages
from django.contrib.sessions.middleware import SessionMiddleware as Sessions
from django.http import HttpRequest
from django.middleware.csrf import CsrfViewMiddleware as Csrf
from whitenoise.middleware import WhiteNoiseMiddleware as WhiteNoise  # type: ignore[import-untyped]

#: The API's prefix; every address below it accepts keys only.
API = "/api/v1/"


class PagesOnly:
    """The first base of a middleware: skips requests of the API."""

    get_response: Any

    def __call__(self, request: HttpRequest) -> Any:
        if request.path_info.startswith(API):
            return self.get_response(request)
        return super().__call__(request)  # type: ignore[misc] # of the middleware behind


class AuthenticationMiddleware(PagesOnly, Authentication):
    """Sets the logged-in user."""


class CsrfViewMiddleware(PagesOnly, Csrf):
    """Rejects forms from other sites. Views of the API are exempt, as are all views of DRF."""


class MessageMiddleware(PagesOnly, Messages):
    """Messages of the admin."""


class SessionMiddleware(PagesOnly, Sessions):
    """Sessions of the admin."""


class WhiteNoiseMiddleware(PagesOnly, WhiteNoise):  # type: ignore[misc] # the package has no types
    """Static files."""
