"""Waits for changes in the watched directories.

Each directory is watched separately, without its subdirectories, so ignored directories cost nothing and no symbolic
link is followed.
"""

import os
import time
from collections.abc import Collection, Generator
from typing import Any

import watchfiles

from suture_client.watching.files import is_markdown
from suture_client.watching.ignoring import GITIGNORE
from suture_client.watching.output import logger

LIMIT_REACHED = "File watcher limit reached. Cannot watch additional files."
HOW_TO_RAISE_LIMIT = (
    "Raise it with `sudo sysctl fs.inotify.max_user_watches=1048576`, and permanently with a line"
    " `fs.inotify.max_user_watches=1048576` in /etc/sysctl.d/60-suture.conf (for many programs that watch, also"
    " fs.inotify.max_user_instances=1024); then restart. Until then, all directories are scanned every few seconds."
)
#: Seconds between scans if events are not available.
POLL_SECONDS = 5.0
_STEP_MS = 200


class Events:
    """Watches directories; call `wait` again and again."""

    def __init__(self) -> None:
        self._watched: Collection[str] = ()
        self._changes: Generator[set[Any], None, None] | None = None
        self._is_limited = False

    def wait(self, directories: dict[str, int], seconds: float) -> None:
        """Wait up to `seconds` for a change in the directories (paths with their inode numbers). Returns at once if the
        directories are new, because changes before the watch started are not reported."""
        if self._watched != directories and self._watch(directories):
            return
        until = time.monotonic() + seconds
        if self._changes is None:
            time.sleep(min(seconds, POLL_SECONDS))
            return
        try:
            for changed in self._changes:
                if changed or time.monotonic() >= until:
                    return
        except RuntimeError as error:  # for example a name that is not UTF-8; this watch is dead
            logger.info("Restarting the watch after: %s", error)
            self._watched = ()
            time.sleep(_STEP_MS / 1000)

    def _watch(self, directories: dict[str, int]) -> bool:
        """Watch exactly these directories. Returns whether that succeeded."""
        if self._changes is not None:
            self._changes.close()
        self._watched, self._changes = directories, None
        changes = watchfiles.watch(
            *directories,
            recursive=False,
            watch_filter=lambda change, path: (
                is_markdown(path) or path.endswith(GITIGNORE) or path in directories or os.path.isdir(path)
            ),
            rust_timeout=_STEP_MS,
            yield_on_timeout=True,
        )
        try:
            next(changes)
        except FileNotFoundError:  # one of them was deleted in the meantime: scan again
            self._watched = ()
            return True
        except (OSError, RuntimeError) as error:
            if not self._is_limited:
                self._is_limited = True
                said = f"{LIMIT_REACHED} {HOW_TO_RAISE_LIMIT}" if _is_limit(error) else f"Cannot watch: {error}."
                logger.error("%s", said)
            return False
        self._changes = changes
        return True


def _is_limit(error: Exception) -> bool:
    """Return whether an error means that the system's limit of watches or watchers is reached."""
    return any(words in str(error) for words in ("watch limit reached", "MaxFilesWatch", "Too many open files"))
