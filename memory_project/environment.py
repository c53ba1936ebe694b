"""Where Suture finds its servers and its secrets: the environment first, then the files of the running stack.

The supervisor (`memory_project.stack`) writes `SUTURE_HOME/stack.json` and a file for each restricted credential, so
that a `manage.py` in another terminal reaches the same servers without any variables. Processes of the stack itself
(`SUTURE_PROCESS`) read none of these files: the supervisor passes them their variables.
"""

import base64
import binascii
import ipaddress
import json
import os
import secrets
import socket
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

BASE_DIR = Path(__file__).resolve().parent.parent

HOME = Path(os.environ.get("SUTURE_HOME") or BASE_DIR / ".suture")

#: Set by the supervisor in each process of the stack: web, worker or beat.
PROCESS_VARIABLE = "SUTURE_PROCESS"
#: The directory in HOME for the heartbeats of web processes.
ALIVE = "alive"

#: Published by a stack. Each may be set in the environment instead.
SERVER_VARIABLES = (
    "DATABASE_URL",  # role app: web and workers
    "DATABASE_OWNER_URL",  # role owner: migrations and maintenance
    "DATABASE_REVIEW_URL",  # role review: the admin's before/after pages, read-only
    "DATABASE_SESSION_URL",  # role session: opens the context of a person who has logged in
    "DATABASE_OPERATOR_URL",  # role operator: opens the context of a job and of an operator's command
    "DATABASE_VERIFIER_URL",  # role verifier: reads the record, bypassing row security, to verify the ledger
    "REDIS_URL",
)


ENCRYPTION_KEY_BYTES = 32
#: Upper bound for a rate; higher values are the same as no limit.
MAX_RATE = 1_000_000_000

#: The address of the running stack's web server, published beside its servers.
SITE_VARIABLE = "SUTURE_URL"

#: Each is published in a file of its own, readable only by the processes that need it.
RESTRICTED_VARIABLES = (
    "DATABASE_OWNER_URL",
    "DATABASE_SESSION_URL",
    "DATABASE_OPERATOR_URL",
    "DATABASE_VERIFIER_URL",
)


def ready_key(pid: int) -> str:
    """The Redis key that tells that the worker with the main process `pid` on this machine is ready."""
    return f"suture:worker:ready:{socket.gethostname()}:{pid}"


def published_file(home: Path, variable: str) -> Path:
    """The file in which a running stack publishes the variable: `stack.json`, or one of its own in `secrets/`."""
    return home / "secrets" / variable if variable in RESTRICTED_VARIABLES else home / "stack.json"


def server(variable: str, fallback: str = "") -> str:
    """The URL of a server: from the environment, else of the running embedded stack, else `fallback`."""
    return os.environ.get(variable) or _published(variable) or fallback


def _published(variable: str) -> str:
    return "" if PROCESS_VARIABLE in os.environ else published(HOME, variable)


def published(home: Path, variable: str) -> str:
    """The variable's value as published by the stack that runs in `home`; empty if there is none or it is
    unreadable."""
    try:
        text = published_file(home, variable).read_text()
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return ""
    return text if variable in RESTRICTED_VARIABLES else str(json.loads(text).get(variable, ""))


def missing(variable: str) -> str:
    """The error message for a server whose URL this process does not have."""
    if process := os.environ.get(PROCESS_VARIABLE):
        return f"{variable} is not set: the {process} process does not hold this credential."
    return f"{variable} is not set, and no running stack publishes it to this user in {HOME}."


def secret_key() -> str:
    """Django's secret: from `SECRET_KEY`, else generated once into `SUTURE_HOME/secret_key` (mode 0600).

    Without a home directory (linting, a schema dump) the key lives as long as the process.
    """
    if given := os.environ.get("SECRET_KEY"):
        return given
    return _kept("secret_key", 48)


def encryption_keys() -> list[bytes]:
    """The keys that encrypt secrets in the database, 32 bytes each. The first one encrypts.

    From `SUTURE_ENCRYPTION_KEYS` (base64url, separated by commas), else a key that is generated once into
    `SUTURE_HOME/encryption_key`. Empty for a process that may not read it: only the web server needs these keys. A
    malformed key stops the start.
    """
    given = os.environ.get("SUTURE_ENCRYPTION_KEYS")
    try:
        texts = given.split(",") if given else [_kept("encryption_key", 32)]
    except PermissionError:
        return []
    keys = []
    for text in texts:
        try:
            keys.append(base64.urlsafe_b64decode(text.strip() + "=" * (-len(text.strip()) % 4)))
        except binascii.Error:
            keys.append(b"")
        if len(keys[-1]) != ENCRYPTION_KEY_BYTES:
            raise SystemExit("SUTURE_ENCRYPTION_KEYS: each key must be 32 bytes in base64url")
    return keys


def _kept(name: str, size: int) -> str:
    """A random secret of `size` bytes in base64url, generated once into the home (mode 0600)."""
    path = HOME / name
    if not HOME.is_dir():
        return secrets.token_urlsafe(size)
    try:
        descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    except FileExistsError:
        return path.read_text()
    with os.fdopen(descriptor, "w") as file:
        file.write(secrets.token_urlsafe(size))
    return path.read_text()


def flag(variable: str, *, default: bool = False) -> bool:
    """A yes/no variable: 1, true, yes or on (any case) is yes."""
    value = os.environ.get(variable)
    return default if value is None else value.lower() in {"1", "true", "yes", "on"}


def whole_number(variable: str, default: int) -> int:
    """An integer variable. An invalid value stops the start, naming the variable."""
    value = os.environ.get(variable)
    if value is None:
        return default
    try:
        return int(value)
    except ValueError:
        raise SystemExit(f"{variable} must be a whole number, not {value!r}") from None


def share(variable: str, default: str) -> Decimal:
    """A number from 0 to 1. An invalid value stops the start, naming the variable."""
    value = os.environ.get(variable) or default
    try:
        found = Decimal(value)
    except InvalidOperation:
        found = Decimal("NaN")
    if found.is_nan() or not 0 <= found <= 1:
        raise SystemExit(f"{variable} must be a number from 0 to 1, not {value!r}")
    return found


_SECONDS = {"second": 1, "minute": 60, "hour": 3600}


def rate(variable: str, default: str) -> tuple[int, int] | None:
    """A rate such as `600/minute` (or `second`, `hour`), as a number and a period in seconds; None for `off`. An
    invalid value stops the start, naming the variable."""
    value = os.environ.get(variable) or default
    if value == "off":
        return None
    number, _, unit = value.partition("/")
    if not number.isdecimal() or not 1 <= int(number) <= MAX_RATE or unit not in _SECONDS:
        raise SystemExit(f"{variable} must be a rate per second, minute or hour (600/minute) or off, not {value!r}")
    return int(number), _SECONDS[unit]


def networks(variable: str) -> list[ipaddress.IPv4Network | ipaddress.IPv6Network]:
    """Addresses and networks (`10.0.0.0/8`), separated by commas. An invalid one stops the start, naming the
    variable."""
    found = []
    for text in filter(None, os.environ.get(variable, "").replace(" ", "").split(",")):
        try:
            found.append(ipaddress.ip_network(text))
        except ValueError as error:
            raise SystemExit(f"{variable}: {error}") from None
    return found


#: With more, the last tree head of a file of notes might not fit into the bytes that are read.
MAX_WITNESSES = 10


def witnesses(variable: str) -> list[tuple[str, Any]]:
    """Witnesses as `URL KEY`, separated by commas: the address and the verifier key
    (suture_verify.cosignatures.VerifierKey). An invalid value stops the start, naming the variable."""
    if not (given := os.environ.get(variable)):
        return []
    from suture_verify.cosignatures import MalformedKey, parse_key

    found = []
    for number, text in enumerate(given.split(","), 1):
        url, *keys = text.split() or [""]
        try:
            if not url.startswith(("http://", "https://")) or len(keys) != 1:
                raise MalformedKey("each witness must be an http(s) URL, a space and a verifier key")
            found.append((url, parse_key(keys[0])))
        except MalformedKey as error:
            raise SystemExit(f"{variable}, number {number}: {error}") from None
    names = {key.name for _, key in found}
    if len(names) < len(found) or len(found) > MAX_WITNESSES:
        raise SystemExit(f"{variable}: at most {MAX_WITNESSES} witnesses, each with a different name")
    return found


def choice(variable: str, words: Sequence[str], *, default: str) -> str:
    """One of `words`. Another value stops the start, naming the variable."""
    value = os.environ.get(variable) or default
    if value not in words:
        raise SystemExit(f"{variable} must be one of {', '.join(words)}, not {value!r}")
    return value


def checkpoint_storage(root: str) -> dict[str, Any]:
    """Django's storage for checkpoints: a directory, or with `CHECKPOINT_STORAGE=s3` a bucket of any service that
    speaks S3. A missing bucket name or missing packages stop the start."""
    if choice("CHECKPOINT_STORAGE", ("directory", "s3"), default="directory") == "directory":
        return {"BACKEND": "memory.checkpoints.storage.DirectoryStorage", "OPTIONS": {"location": root}}
    try:
        from botocore.config import Config  # type: ignore[import-untyped]
    except ImportError:
        raise SystemExit("CHECKPOINT_STORAGE=s3 needs packages that are not installed: install suture[s3]") from None
    if not (bucket := os.environ.get("CHECKPOINT_S3_BUCKET")):
        raise SystemExit("CHECKPOINT_STORAGE=s3 needs CHECKPOINT_S3_BUCKET")
    options = {
        "bucket_name": bucket,
        "location": os.environ.get("CHECKPOINT_S3_PREFIX", ""),
        "endpoint_url": os.environ.get("CHECKPOINT_S3_ENDPOINT") or None,
        "region_name": os.environ.get("CHECKPOINT_S3_REGION") or None,
        # without keys, the SDK finds credentials itself: a role of the machine, a file, AWS_ACCESS_KEY_ID
        "access_key": os.environ.get("CHECKPOINT_S3_ACCESS_KEY") or None,
        "secret_key": os.environ.get("CHECKPOINT_S3_SECRET_KEY") or None,
        "file_overwrite": True,
        "default_acl": None,
        "client_config": Config(connect_timeout=5, read_timeout=20, retries={"max_attempts": 2}),
    }
    return {"BACKEND": "storages.backends.s3.S3Storage", "OPTIONS": options}
