"""The watcher's log: text or JSON lines, each message only once."""

import json
import logging
import sys
from datetime import UTC, datetime

logger = logging.getLogger("suture.watch")


def shown(path: str) -> str:
    """Format a path as one line. Unprintable characters and invalid UTF-8 are escaped."""
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in path)


class OnceLogger:
    """Logs the problem of each path once, and again only if the problem changes."""

    def __init__(self) -> None:
        self._said: dict[str, str] = {}

    def say(self, path: str, message: str, level: int = logging.WARNING) -> bool:
        """Log a line about a path, unless it repeats the last one. Returns whether it was logged."""
        if self._said.get(path) == message:
            return False
        self._said[path] = message
        logger.log(level, "%s", message)
        return True

    def forget(self, path: str) -> None:
        """Forget the problem of a path, because it is solved."""
        self._said.pop(path, None)


class _ToStderr(logging.Handler):
    """Writes to the current `sys.stderr`, which a progress bar replaces to keep log lines above it."""

    def emit(self, record: logging.LogRecord) -> None:
        print(self.format(record), file=sys.stderr, flush=True)  # noqa: T201 - this is the output of a command


class _Lines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        word = "" if record.levelno <= logging.INFO else f"{record.levelname.lower()}: "
        return f"{word}{record.getMessage()}"


class _Json(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return json.dumps(
            {
                "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
                "level": record.levelname,
                "logger": record.name,
                "message": record.getMessage(),
            },
            ensure_ascii=False,
        )


def log_to_stderr(*, as_json: bool) -> None:
    """Write the log to standard error, as text or as JSON."""
    handler = _ToStderr()
    handler.setFormatter(_Json() if as_json else _Lines())
    logger.handlers[:] = [handler]
    logger.setLevel(logging.INFO)
    logger.propagate = False
