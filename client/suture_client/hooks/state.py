"""The client's state directory, and its private files.

The directory is `SUTURE_STATE_DIR`, else `$XDG_STATE_HOME/suture`, else `~/.local/state/suture`. It contains `spool/`
(captures that wait for the server), `log` and `log.1`, `refused` (captures that the server refused) and `captured.json`
(the last capture of each hook, and the number of masked secrets).
"""

import errno
import os

STATE_VARIABLE = "SUTURE_STATE_DIR"


def directory() -> str:
    """Return the state directory. Create it, accessible only to its owner, if it is missing. Raises OSError."""
    return _made(directory_path())


def directory_path() -> str:
    """Return the path of the state directory, which may not exist."""
    return os.environ.get(STATE_VARIABLE) or os.path.join(_base("XDG_STATE_HOME", ".local/state"), "suture")


def spool_directory() -> str:
    """Return the spool's directory. Create it if it is missing. Raises OSError."""
    return _made(os.path.join(directory(), "spool"))


def path(name: str) -> str:
    """Return the path of a file in the state directory, and create the directory if needed. Raises OSError."""
    return os.path.join(directory(), name)


def config_path() -> str:
    """Return the path of the client's configuration: `$XDG_CONFIG_HOME/suture/config.toml`, else in `~/.config`."""
    return os.path.join(_base("XDG_CONFIG_HOME", ".config"), "suture", "config.toml")


def open_private(path: str, flags: int) -> int:
    """Open a file and return its descriptor. If it is created, only its owner may read it. Raises OSError."""
    return os.open(path, flags | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)


def write_private(path: str, content: bytes) -> None:
    """Replace a file atomically: a reader sees either the old content or the new. Raises OSError."""
    made = f"{path}.{os.getpid()}"
    descriptor = open_private(made, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    try:
        try:
            written = os.write(descriptor, content)
        finally:
            os.close(descriptor)
        if written < len(content):
            raise OSError(errno.ENOSPC, "The file was written only partly", made)
        os.replace(made, path)
    except BaseException:
        os.unlink(made)
        raise


def _base(variable: str, default: str) -> str:
    """Return a base directory of the XDG specification, which says to ignore relative paths."""
    given = os.environ.get(variable, "")
    return given if os.path.isabs(given) else os.path.join(os.path.expanduser("~"), default)


def _made(directory: str) -> str:
    if not os.path.isdir(directory):
        os.makedirs(directory, mode=0o700, exist_ok=True)
    return directory
