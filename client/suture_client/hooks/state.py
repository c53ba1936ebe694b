"""Where the client keeps its state, and how it opens files that only their owner may read.

`SUTURE_STATE_DIR`, else `$XDG_STATE_HOME/suture`, else `~/.local/state/suture` has:
`spool/` (captures that wait for the server), `log` and `log.1`, `refused` (captures that the server refused) and
`captured.json` (the last capture of each hook, and how many secrets were masked).
"""

import errno
import os

STATE_VARIABLE = "SUTURE_STATE_DIR"


def directory() -> str:
    """The directory of the state. It is created, for its owner alone, if it is missing. Raises OSError."""
    return _made(directory_path())


def directory_path() -> str:
    """The path of the directory of the state, which may be missing."""
    return os.environ.get(STATE_VARIABLE) or os.path.join(_base("XDG_STATE_HOME", ".local/state"), "suture")


def spool_directory() -> str:
    """The directory of the captures that wait. It is created if it is missing. Raises OSError."""
    return _made(os.path.join(directory(), "spool"))


def path(name: str) -> str:
    """The path of a file of the state, whose directory exists then. Raises OSError."""
    return os.path.join(directory(), name)


def config_path() -> str:
    """The path of the client's configuration: `$XDG_CONFIG_HOME/suture/config.toml`, else in `~/.config`."""
    return os.path.join(_base("XDG_CONFIG_HOME", ".config"), "suture", "config.toml")


def open_private(path: str, flags: int) -> int:
    """Open a file that, if it is created, only its owner may read. Answers its descriptor. Raises OSError."""
    return os.open(path, flags | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)


def write_private(path: str, content: bytes) -> None:
    """Replace a file at once: a reader sees the content of before or all of the new one. Raises OSError."""
    made = f"{path}.{os.getpid()}"
    descriptor = open_private(made, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    try:
        try:
            written = os.write(descriptor, content)
        finally:
            os.close(descriptor)
        if written < len(content):
            raise OSError(errno.ENOSPC, "The file could be written only in part", made)
        os.replace(made, path)
    except BaseException:
        os.unlink(made)
        raise


def _base(variable: str, default: str) -> str:
    """A base directory of the XDG specification, which says to ignore a path that is not absolute."""
    given = os.environ.get(variable, "")
    return given if os.path.isabs(given) else os.path.join(os.path.expanduser("~"), default)


def _made(directory: str) -> str:
    if not os.path.isdir(directory):
        os.makedirs(directory, mode=0o700, exist_ok=True)
    return directory
