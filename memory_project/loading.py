"""What a server loads before its first request or job, and before it forks its processes, which then share it. Each
item takes up to a second, which the first client would otherwise wait."""

import ctypes
import functools
import gc
import importlib
import io
import logging
import time
from contextlib import suppress

import redis
from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.core.handlers.wsgi import WSGIRequest
from django.db import Error as DatabaseFailure
from django.db import connections

from governance import tokens
from governance.admin.site import site
from governance.ledger import keyring
from memory.embedding import thirteen
from memory.usage import deliveries
from memory_project.readiness import database
from suture_client.text import masking, sentences

logger = logging.getLogger("suture.loading")

#: Modules that libraries import at first use.
_MODULES = (
    "django.contrib.messages.storage.fallback",
    "django.contrib.sessions.serializers",
    "encodings.unicode_escape",
    "encodings.utf_16_be",  # rfc8785 sorts names with it
)


@functools.cache
def load_for_requests() -> None:
    """Load models, vocabularies, patterns, templates and the signing key, once per process. If something fails to load,
    the requests that need it fail later."""
    began = time.perf_counter()
    for load in (
        thirteen.load,
        masking.load,
        sentences.load,
        tokens.load,
        database.last_migrations,
        _load_key,
        _load_modules,
        _load_pages,
    ):
        try:
            load()
        except Exception:
            logger.exception("%s.%s failed", load.__module__, load.__name__)
    logger.info("loaded models, modules and templates in %.1f s", time.perf_counter() - began)


def prepare_fork() -> None:
    """Return freed memory to the system, and keep the garbage collector from writing to what forked processes share."""
    gc.collect()
    with suppress(OSError, AttributeError):  # other C libraries have no such function
        ctypes.CDLL("libc.so.6").malloc_trim(0)
    gc.freeze()


def connect() -> None:
    """Connect this thread to the servers, in the roles of requests. If one is down, requests will report it."""
    for alias in ("default", "review"):
        with suppress(DatabaseFailure):
            connections[alias].ensure_connection()
    with suppress(redis.RedisError):
        deliveries.connect()


def _load_key() -> None:
    with suppress(keyring.SigningKeyUnusable):  # readiness and the startup log report it
        keyring.current()


def _load_modules() -> None:
    cache = settings.CACHES["default"]
    named = (cache["BACKEND"], cache["OPTIONS"]["serializer"])
    for module in (*_MODULES, *(name.rpartition(".")[0] for name in named)):
        importlib.import_module(module)


def _load_pages() -> None:
    """Compile the base templates of the admin by rendering the login page."""
    allowed = settings.ALLOWED_HOSTS[0].lstrip(".")
    name = "localhost" if allowed in {"", "*"} else allowed
    address = {"REQUEST_METHOD": "GET", "PATH_INFO": "/admin/login/", "SERVER_NAME": name, "SERVER_PORT": "80"}
    request = WSGIRequest({**address, "SCRIPT_NAME": "", "wsgi.input": io.BytesIO()})
    request.user = AnonymousUser()
    site.login(request).render()  # type: ignore[attr-defined] # a TemplateResponse
