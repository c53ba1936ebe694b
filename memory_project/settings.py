"""Settings, all from the environment (see `environment.py`); the defaults are the embedded single-node stack."""

import os
from datetime import timedelta
from typing import Any

import dj_database_url
from celery.schedules import crontab
from csp.constants import NONCE, NONE, SELF, UNSAFE_INLINE
from redis.backoff import NoBackoff
from redis.retry import Retry

from memory_project import environment, openapi

BASE_DIR = environment.BASE_DIR
SUTURE_HOME = environment.HOME
VERSION = "0.1.0"

SECRET_KEY = environment.secret_key()
ENCRYPTION_KEYS = environment.encryption_keys()
DEBUG = environment.flag("DEBUG")
ALLOWED_HOSTS = os.environ.get("ALLOWED_HOSTS", "127.0.0.1,localhost,[::1]").split(",")
CSRF_TRUSTED_ORIGINS = list(filter(None, os.environ.get("CSRF_TRUSTED_ORIGINS", "").split(",")))

INSTALLED_APPS = [
    "unfold",
    "unfold.contrib.filters",
    "django.contrib.admin",
    # before Django's: runs createsuperuser and changepassword as the owner
    "governance",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "rest_framework",
    "django_filters",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "pgtrigger",
    "csp",
    "axes",
    "django_otp",
    "django_otp.plugins.otp_totp",
    "django_otp.plugins.otp_static",
    "memory",
    "capsules",
    "capture",
    "memory_project",
]

MIDDLEWARE = [
    "memory_project.observability.RequestLogMiddleware",
    "memory_project.web.content_length.RequireLengthMiddleware",
    "governance.http.methods.RefusedMethodsMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "memory_project.web.pages.WhiteNoiseMiddleware",
    "memory_project.web.pages.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "memory_project.web.pages.CsrfViewMiddleware",
    "memory_project.web.pages.AuthenticationMiddleware",
    "memory_project.web.pages.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "axes.middleware.AxesMiddleware",
]

CSRF_FAILURE_VIEW = "governance.admin.site.csrf_failure"

ROOT_URLCONF = "memory_project.urls"
ASGI_APPLICATION = "memory_project.asgi.application"
APPEND_SLASH = False

TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]


def _database(url: str, **options: Any) -> dict[str, Any]:
    return {
        **dj_database_url.parse(url, engine="memory_project.db", conn_max_age=600, conn_health_checks=True),
        # PgBouncer in transaction mode does not support server-side cursors across transactions.
        "DISABLE_SERVER_SIDE_CURSORS": True,
        **options,
    }


# Each role has its own connection (docs/decisions/0001-roles-and-gate.md). In tests, the owner creates the database and
# the other roles use its name.
DATABASES = {
    "default": _database(
        environment.server("DATABASE_URL", "postgresql://suture_app@127.0.0.1:5432/suture"),
        ATOMIC_REQUESTS=True,
        TEST={"MIRROR": "owner"},
    ),
    # Web, worker and beat do not hold this URL. If the environment does not set it, the backend uses the URL that a
    # running stack publishes, when the connection is first used.
    "owner": _database(os.environ.get("DATABASE_OWNER_URL") or "postgresql://", URL_VARIABLE="DATABASE_OWNER_URL"),
    "review": _database(
        environment.server("DATABASE_REVIEW_URL", "postgresql://suture_review@127.0.0.1:5432/suture"),
        TEST={"MIRROR": "owner"},
    ),
    # Reads the record, bypassing row security. Of the processes, only the worker holds it.
    "verifier": _database(
        os.environ.get("DATABASE_VERIFIER_URL") or "postgresql://",
        URL_VARIABLE="DATABASE_VERIFIER_URL",
        TEST={"MIRROR": "owner"},
    ),
}
# No Django connections: each role may execute one function, which opens a context, and has no right on any table.
# Empty in processes that do not hold the credential.
SESSION_DATABASE_URL = environment.server("DATABASE_SESSION_URL")
OPERATOR_DATABASE_URL = environment.server("DATABASE_OPERATOR_URL")
# The address of the running stack's web server, for commands that call the API.
SUTURE_URL = environment.server(environment.SITE_VARIABLE)
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTH_USER_MODEL = "governance.User"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}", "OPTIONS": options}
    for name, options in (
        ("UserAttributeSimilarityValidator", {}),
        ("MinimumLengthValidator", {"min_length": 12}),
        ("CommonPasswordValidator", {}),
        ("NumericPasswordValidator", {}),
    )
]
AUTHENTICATION_BACKENDS = ["axes.backends.AxesStandaloneBackend", "django.contrib.auth.backends.ModelBackend"]
LOGIN_URL = "admin:login"
LOGIN_REDIRECT_URL = "admin:index"

REDIS_URL = environment.server("REDIS_URL", "redis://127.0.0.1:6379/0")
CACHES: dict[str, dict[str, Any]] = {
    "default": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": REDIS_URL,
        # one attempt only: a request waits for it
        "OPTIONS": {
            "serializer": "memory_project.cache.JSONSerializer",
            "socket_connect_timeout": 2,
            "socket_timeout": 2,
            "retry": Retry(NoBackoff(), 0),
        },
    }
}

CELERY_BROKER_URL = REDIS_URL
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_BROKER_TRANSPORT_OPTIONS = {"visibility_timeout": 3600}
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_WORKER_CONSUMER = "memory_project.consumer:PromptConsumer"
CELERY_BEAT_SCHEDULER = "memory_project.beat:SingletonScheduler"
# Each process of the worker loads a model before it reports as up; after this many seconds it is replaced.
CELERY_WORKER_PROC_ALIVE_TIMEOUT = 60.0
SEAL_SECONDS = float(environment.whole_number("SEAL_SECONDS", 5))
# Readiness is degraded if records are not sealed after this many seconds.
SEAL_LAG_SECONDS = environment.whole_number("SEAL_LAG_SECONDS", 120)
# The bearer token for /metrics; if it is empty, anybody can read them.
METRICS_TOKEN = os.environ.get("METRICS_TOKEN", "")

# Default importance of captured memory by source, from 0 to 1.
CAPTURE_IMPORTANCE_HOOKS = environment.share("CAPTURE_IMPORTANCE_HOOKS", "0.3")
CAPTURE_IMPORTANCE_PROMPTS = environment.share("CAPTURE_IMPORTANCE_PROMPTS", "0.5")
CAPTURE_IMPORTANCE_RESPONSES = environment.share("CAPTURE_IMPORTANCE_RESPONSES", "0.5")
CAPTURE_IMPORTANCE_MARKDOWN = environment.share("CAPTURE_IMPORTANCE_MARKDOWN", "0.6")

# The provider of embeddings: local (offline), openai (any service with its protocol: memory leaves this server),
# sentence-transformers (an installed model), or off. Invalid values stop the start.
EMBEDDING_PROVIDER = environment.choice(
    "EMBEDDING_PROVIDER", ("local", "openai", "sentence-transformers", "off"), default="local"
)
EMBEDDING_MODEL = os.environ.get("EMBEDDING_MODEL") or (
    "text-embedding-3-small" if EMBEDDING_PROVIDER == "openai" else "all-MiniLM-L6-v2"
)
EMBEDDING_DIMENSIONS = environment.whole_number("EMBEDDING_DIMENSIONS", 1536 if EMBEDDING_PROVIDER == "openai" else 384)
EMBEDDING_URL = os.environ.get("EMBEDDING_URL") or "https://api.openai.com/v1"
EMBEDDING_KEY = os.environ.get("EMBEDDING_KEY", "")
EMBEDDING_BATCH = environment.whole_number("EMBEDDING_BATCH", 64)
EMBEDDING_TIMEOUT_SECONDS = float(environment.whole_number("EMBEDDING_TIMEOUT_SECONDS", 30))
# Parallel embedding jobs on this machine, and seconds before a job frees its process.
EMBEDDING_JOBS = environment.whole_number("EMBEDDING_JOBS", 1)
EMBEDDING_RUN_SECONDS = float(environment.whole_number("EMBEDDING_RUN_SECONDS", 60))

# Heartbeats wait for no other task: the worker's main process answers them (memory_project/heartbeats.py).
CELERY_TASK_ROUTES = {"memory_project.tasks.beat_heart": {"queue": "heartbeat"}}


def _periodic(task: str, schedule: float | crontab, expires: float | None = None) -> dict[str, Any]:
    """A run that has not started when the next one is due, or within `expires` seconds, is dropped: runs do not pile up
    while the worker is down or busy."""
    after = expires if isinstance(schedule, crontab) else schedule
    return {"task": task, "schedule": schedule, "options": {"expires": after}}


_HOUR = 3600.0
CELERY_BEAT_SCHEDULE: dict[str, dict[str, Any]] = {
    "worker-heartbeat": _periodic("memory_project.tasks.beat_heart", 5.0),
    "seal": _periodic("governance.tasks.seal", SEAL_SECONDS),
    "embed": _periodic("memory.tasks.embed", 2.0),
    "count-days": _periodic("governance.tasks.count_days", 120.0),
    "verify": _periodic("governance.tasks.verify", crontab(hour=3, minute=17), 23 * _HOUR),
    "verify-recent": _periodic("governance.tasks.verify_recent", crontab(minute=47), _HOUR),
    "expire-edits": _periodic("governance.tasks.expire_edits", 600.0),
    "apply-policy-changes": _periodic("governance.tasks.apply_policy_changes", 60.0),
    "complete-contexts": _periodic("memory.tasks.complete_contexts", 2.0),
    "fold-values": _periodic("memory.tasks.fold_values", 5.0),
    "count-terms": _periodic("memory.tasks.count_terms", 60.0),
    "expire-memories": _periodic("memory.tasks.expire_memories", 30.0),
    "record-deliveries": _periodic("memory.tasks.record_deliveries", 5.0),
    "watch-recorders": _periodic("memory.tasks.watch_recorders", 30.0),
    "promote": _periodic("memory.tasks.promote", 120.0),
    "decay-confidence": _periodic("memory.tasks.decay_confidence", crontab(hour=2, minute=41), 23 * _HOUR),
    "remove-checkpoints": _periodic("memory.tasks.remove_checkpoints", 10.0),
    "sweep-checkpoints": _periodic("memory.tasks.sweep_checkpoints", crontab(minute=23), _HOUR),
    "expire-capsules": _periodic("capsules.tasks.expire", 60.0),
    "warn-of-capsules": _periodic("capsules.tasks.warn", 60.0),
    "forget-idempotency-keys": _periodic("governance.tasks.forget_idempotency_keys", _HOUR),
}

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["governance.http.authentication.KeyAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_PARSER_CLASSES": ["governance.http.parsing.StrictJSONParser"],
    "DEFAULT_RENDERER_CLASSES": ["governance.http.rendering.JSONRenderer"],
    # Accept chooses between JSON and text; `format` would be an additional, undeclared parameter
    "URL_FORMAT_OVERRIDE": None,
    "DEFAULT_SCHEMA_CLASS": "governance.http.schema.GovernedSchema",
    "DEFAULT_FILTER_BACKENDS": [],
    "EXCEPTION_HANDLER": "governance.http.problems.exception_handler",
    "UNAUTHENTICATED_USER": None,
    "COERCE_DECIMAL_TO_STRING": False,
}
SPECTACULAR_SETTINGS = {"VERSION": VERSION, **openapi.SETTINGS}

MAX_BODY_BYTES = environment.whole_number("MAX_BODY_BYTES", 10 * 1024 * 1024)
DATA_UPLOAD_MAX_MEMORY_SIZE = MAX_BODY_BYTES

# Rate limits (memory_project/web/rate_limiter.py): per key; per address for requests without a known key; wrong keys
# per
# address; login attempts per address. The address is the last one of X-Forwarded-For that is not one of these proxies.
RATE_LIMITS = {
    "key": environment.rate("RATE_LIMIT_KEY", "60000/minute"),
    "address": environment.rate("RATE_LIMIT_ADDRESS", "6000/minute"),
    "wrong-keys": environment.rate("RATE_LIMIT_WRONG_KEYS", "60/minute"),
    "logins": environment.rate("RATE_LIMIT_LOGINS", "30/minute"),
}
TRUSTED_PROXIES = environment.networks("TRUSTED_PROXIES")
# Requests that run at once in a process, and seconds that a request may wait for a thread.
WEB_THREADS = environment.whole_number("WEB_THREADS", 3)
WEB_WAIT_SECONDS = float(environment.whole_number("WEB_WAIT_SECONDS", 10))

# Saved states of running agents: their directory, the quota of a tenant in MiB, how many to keep per session, the
# number of steps between two, and the minimum age in seconds at which a file without a row is deleted.
CHECKPOINT_ROOT = os.environ.get("CHECKPOINT_ROOT") or str(SUTURE_HOME / "checkpoints")
STORAGES: dict[str, dict[str, Any]] = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    "checkpoints": environment.checkpoint_storage(CHECKPOINT_ROOT),
}
CHECKPOINT_QUOTA_MIB = environment.whole_number("CHECKPOINT_QUOTA_MIB", 10 * 1024)
CHECKPOINT_KEEP = environment.whole_number("CHECKPOINT_KEEP", 10)
CHECKPOINT_EVERY = environment.whole_number("CHECKPOINT_EVERY", 5)
CHECKPOINT_GRACE_SECONDS = environment.whole_number("CHECKPOINT_GRACE_SECONDS", 3600)

# Where to send every signed tree head, besides SUTURE_HOME/tree_heads: files and http(s) URLs, separated by commas.
TREE_HEAD_SINKS = list(filter(None, os.environ.get("TREE_HEAD_SINKS", "").split(",")))

# The witnesses that cosign every tree head (docs/ledger.md): `URL KEY`, separated by commas.
WITNESSES = environment.witnesses("WITNESSES")

# Hours before a capsule expires at which its author is warned.
CAPSULE_WARNING_HOURS = environment.whole_number("CAPSULE_WARNING_HOURS", 24)

LANGUAGE_CODE = "en"
USE_I18N = False
FORMAT_MODULE_PATH = "memory_project.formats"
USE_TZ = True
TIME_ZONE = "UTC"

STATIC_URL = "/static/"
# Served from the packages themselves: collectstatic is not needed.
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = DEBUG

SECURE_CONTENT_TYPE_NOSNIFF = True
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = environment.flag("SECURE_COOKIES")
SECURE_HSTS_SECONDS = environment.whole_number("HSTS_SECONDS", 0)
# A session ends after this many minutes without a request, and after this many hours in any case.
SESSION_COOKIE_AGE = 60 * environment.whole_number("SESSION_IDLE_MINUTES", 60)
SESSION_LASTS_AT_MOST = timedelta(hours=environment.whole_number("SESSION_HOURS", 12))
# A password that an admin has seen works this long, or until its owner chooses another.
ONE_TIME_PASSWORD_LASTS = timedelta(days=environment.whole_number("ONE_TIME_PASSWORD_DAYS", 7))

# Failed logins lock out a name from one address for a while. Behind a proxy that is not in TRUSTED_PROXIES, every
# address is the proxy's, so only the name counts.
AXES_FAILURE_LIMIT = 5
AXES_COOLOFF_TIME = timedelta(minutes=15)
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False  # else repeated attempts would lock out the owner permanently
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_RESET_ON_SUCCESS = True
AXES_LOCKOUT_CALLABLE = "governance.admin.accounts.locked_out"
AXES_DISABLE_ACCESS_LOG = True
AXES_ENABLE_ADMIN = False
AXES_VERBOSE = False
OTP_TOTP_ISSUER = "Suture"

# No inline scripts and no eval, except on pages of Unfold: its Alpine evaluates template expressions and has no build
# without eval (governance.admin.site adds 'unsafe-eval' only there).
CONTENT_SECURITY_POLICY: dict[str, Any] = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF, NONCE],
        "style-src": [SELF, UNSAFE_INLINE],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
        "base-uri": [NONE],
    },
}

LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"json": {"()": "memory_project.observability.JsonFormatter"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "json"}},
    "root": {"handlers": ["console"], "level": os.environ.get("LOG_LEVEL", "INFO")},
    # RequestLogMiddleware writes one line per request; Django's own lines would repeat failures.
    "loggers": {
        "django.request": {"level": "CRITICAL"},
        "axes": {"level": "WARNING"},
        # these log our own requests to this server
        "mcp": {"level": "WARNING"},
        "httpx": {"level": "WARNING"},
    },
}

# The admin. Dotted names refer to functions of governance.admin.navigation.
UNFOLD: dict[str, Any] = {
    "SITE_TITLE": "Suture",
    "SITE_HEADER": "Suture",
    "SITE_SUBHEADER": "governance.admin.navigation.tenant_name",
    "SITE_SYMBOL": "healing",
    "SITE_URL": None,
    "SHOW_HISTORY": False,  # Django's log of admin actions stays empty: the ledger records every action
    "SHOW_BACK_BUTTON": True,
    "SITE_FAVICONS": [{"rel": "icon", "type": "image/svg+xml", "href": "governance.admin.accounts.favicon"}],
    "STYLES": ["governance.admin.navigation.stylesheet"],
    "SIDEBAR": {"navigation": "governance.admin.navigation.groups"},
    "ACCOUNT": {"navigation": "governance.admin.navigation.account_links"},
}
