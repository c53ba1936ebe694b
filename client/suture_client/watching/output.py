"""What the watcher says: lines for people, or JSON lines for the logs of a stack; and each thing only once."""

import json
import logging
import sys
from datetime import UTC, datetime

logger = logging.getLogger("suture.watch")


def shown(path: str) -> str:
    """A path in one line: what cannot be printed, or is no UTF-8, as escapes."""
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in path)


class Once:
    """Says of each path what is wrong with it, and says it again only if something else is wrong."""

    def __init__(self) -> None:
        self._said: dict[str, str] = {}

    def say(self, path: str, message: str, level: int = logging.WARNING) -> bool:
        """Log a line about a path, unless it was the last one about it. Returns whether it was logged."""
        if self._said.get(path) == message:
            return False
        self._said[path] = message
        logger.log(level, "%s", message)
        return True

    def forget(self, path: str) -> None:
        """Nothing is wrong with the path any more."""
        self._said.pop(path, None)


class _ToStderr(logging.Handler):
    """Writes to what standard error is at the time: a bar of progress takes its place to keep the lines above it."""

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
    """Write the watcher's lines to standard error, as text or as JSON."""
    handler = _ToStderr()
    handler.setFormatter(_Json() if as_json else _Lines())
    logger.handlers[:] = [handler]
    logger.setLevel(logging.INFO)
    logger.propagate = False
