"""The server's address, the key and the session, from the environment, else from the client's configuration."""

import os
from urllib.parse import urlsplit

from suture_client.errors import HOW_TO_GET_A_KEY, Failed, MissingKey
from suture_client.hooks import settings

URL_VARIABLE, KEY_VARIABLES = settings.URL_VARIABLE, settings.KEY_VARIABLES
#: The session of requests, by which uses of memory are counted.
SESSION_VARIABLE = "SUTURE_SESSION_ID"


def address(given: str | None = None) -> str:
    """Return the server's address: the given one, else from the environment, else from the client's configuration.
    Raises Failed if it is invalid."""
    source = "The address" if given else URL_VARIABLE
    given = given or settings.read().url
    try:
        url = urlsplit(given)
        is_one = url.scheme in {"http", "https"} and bool(url.hostname) and url.port != 0
    except ValueError:
        is_one = False
    if not is_one:
        raise Failed(f"{source} must be like {settings.DEFAULT_URL}, not {given!r}.")
    return given.rstrip("/")


def key() -> str:
    """Return the key from the environment, else from the client's configuration, which `suture install-hooks` writes.
    Raises MissingKey, and Failed for an invalid key."""
    for variable in KEY_VARIABLES:
        if found := os.environ.get(variable, "").strip():
            return checked_key(found, variable)
    configured = settings.read()
    if configured.key:
        return configured.key
    if configured.problem:
        raise Failed(configured.problem)
    raise MissingKey


def given_key(given: str | None) -> str:
    """Return a key that was given, which may be empty, else that of `key`. Raises as `key`."""
    return key() if given is None else given and checked_key(given, "The key")


def checked_key(found: str, source: str) -> str:
    """Return the key if it is valid in a header. Raises Failed, with the source, if not."""
    # A key with $ is a reference that an MCP client did not replace.
    if not found.isascii() or not found.isprintable() or " " in found or found.startswith("$"):
        raise Failed(f"{source} is not an API key. A key looks like sut_1a2b3c4d_… {HOW_TO_GET_A_KEY}")
    return found


def session() -> bytes | None:
    """Return the session from the environment, or None. Raises Failed if it is not valid in a header."""
    found = os.environ.get(SESSION_VARIABLE, "").strip()
    if not found.isprintable():
        raise Failed(f"{SESSION_VARIABLE} is not the name of a session: it contains a control character.")
    return found.encode() or None


def configured() -> settings.Settings:
    """Return valid settings, for commands that need the ignore lists. Raises MissingKey, and Failed if the
    configuration has an error."""
    found = settings.read()
    if found.problem:
        raise Failed(found.problem)
    if not found.key:
        raise MissingKey
    return found._replace(url=address(found.url))
