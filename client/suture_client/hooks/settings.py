"""The client's settings: the server, the key and the ignore lists."""

import os
from typing import Any, NamedTuple

from suture_client.hooks import state

URL_VARIABLE = "SUTURE_URL"
KEY_VARIABLES = ("SUTURE_KEY", "SUTURE_API_KEY")
SPOOL_VARIABLE = "SUTURE_SPOOL_MB"
DEFAULT_URL = "http://127.0.0.1:8000"
DEFAULT_SPOOL_MB = 50

#: Stands in for a file that cannot be read. Its ignore lists are unknown, so nothing is captured
#: (suture_client/filtering.py).
UNREADABLE = {"capture": None}


class Settings(NamedTuple):
    """The settings from the environment and the configuration file. The environment takes precedence."""

    url: str
    #: "" if none is set.
    key: str
    #: In bytes.
    spool_limit: int
    #: The configuration file's content.
    table: dict[str, Any]
    #: The error in the configuration; "" if there is none.
    problem: str = ""


def read() -> Settings:
    """Read the settings. Invalid ones keep their default, and `problem` names the error."""
    table, problem = _table()
    url = os.environ.get(URL_VARIABLE, "").strip() or str(table.get("url") or "").strip() or DEFAULT_URL
    keys = [os.environ.get(name, "").strip() for name in KEY_VARIABLES]
    key = next((one for one in keys if one), "") or str(table.get("key") or "").strip()
    if key and (not key.isascii() or not key.isprintable() or " " in key or key.startswith("$")):
        key, problem = "", "The key is not an API key. A key looks like sut_1a2b3c4d_…"
    given = os.environ.get(SPOOL_VARIABLE, "").strip() or table.get("spool_mb", DEFAULT_SPOOL_MB)
    try:
        spool = float(given)
        if not 0 <= spool <= 1_000_000:
            raise ValueError
    except (TypeError, ValueError):
        spool, problem = DEFAULT_SPOOL_MB, f"The spool limit ({SPOOL_VARIABLE}, spool_mb) must be a number of MB."
    return Settings(url=url, key=key, spool_limit=int(spool * 1_000_000), table=table, problem=problem)


def _table() -> tuple[dict[str, Any], str]:
    """Return the configuration file's content and the error in it."""
    path = state.config_path()
    try:
        # Opening a FIFO would block.
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            content = file.read()
    except (FileNotFoundError, NotADirectoryError):
        return {}, ""
    except OSError as error:
        return dict(UNREADABLE), f"{path} cannot be read: {error.strerror}."
    import tomllib  # imported only if there is a configuration file

    try:
        return tomllib.loads(content.decode()), ""
    except ValueError as error:
        return dict(UNREADABLE), f"{path} is not TOML: {error}."
