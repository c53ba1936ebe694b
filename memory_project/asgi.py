"""ASGI entry point: how the web server runs Django, which is synchronous and has few threads.

A request is read completely, against a deadline, before it takes a thread, and its thread is free before a slow client
has read the answer. So thousands of incomplete requests hold no thread (docs/decisions/0014-web-server.md).
"""

import os
import re
import resource

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memory_project.settings")
_wsgi = get_wsgi_application()

from django.conf import settings  # noqa: E402 (Django is set up first)
from django.urls import reverse  # noqa: E402

from memory import checkpoints  # noqa: E402
from memory_project import environment, loading  # noqa: E402 (as above)
from memory_project.readiness.broker import Broker  # noqa: E402
from memory_project.readiness.database import Database  # noqa: E402
from memory_project.readiness.rounds import Readiness  # noqa: E402
from memory_project.web import callers  # noqa: E402 (as above)
from memory_project.web.bridge import Bridge  # noqa: E402
from memory_project.web.mcp import MCPEndpoint  # noqa: E402
from memory_project.web.probes import Probes  # noqa: E402
from memory_project.web.rate_limiter import RateLimiter  # noqa: E402
from memory_project.web.request_bodies import Limits  # noqa: E402
from memory_project.web.routes import Routes  # noqa: E402
from memory_project.web.versions import Versioned  # noqa: E402

# A connection is a file: the default limit of 1,024 is too low for a worker's connections and databases.
_files, _most = resource.getrlimit(resource.RLIMIT_NOFILE)
_wanted = 4096 if _most == resource.RLIM_INFINITY else min(_most, 4096)
resource.setrlimit(resource.RLIMIT_NOFILE, (max(_files, _wanted), _most))

_limits = Limits(
    body=settings.MAX_BODY_BYTES,
    small_paths=frozenset({reverse("admin:login")}),
    session_cookie=settings.SESSION_COOKIE_NAME,
    large_body=checkpoints.MAX_BODY_BYTES,
    large_paths=re.compile(r"/api/v1/sessions/.+/(?:checkpoints(?:/batch)?|turn)", re.DOTALL),
)
_bridge = Bridge(
    _wsgi,
    threads=settings.WEB_THREADS,
    limits=_limits,
    tenant_of=callers.tenant_of,
    patience=settings.WEB_WAIT_SECONDS,
)

# Before the first request: hooks of coding agents wait at most 0.3 s, and loading the model takes 1 s.
loading.load_for_requests()
_bridge.in_each_thread(loading.connect)

_database = Database()
_probes = Probes(Readiness([_database, Broker(_database.now)]), metrics_token=settings.METRICS_TOKEN)

application = Versioned(
    RateLimiter(
        Routes(_bridge, MCPEndpoint(_bridge, _limits), _probes, signs=settings.SUTURE_HOME / environment.ALIVE),
        redis_url=settings.REDIS_URL,
        rates=settings.RATE_LIMITS,
        logins=frozenset(
            reverse(f"admin:{page}") for page in ("login", "second_factor", "invitations", "password_change")
        ),
        trusted=settings.TRUSTED_PROXIES,
    )
)
"""Between the web server and Django: reads requests and sends responses without holding a thread."""
