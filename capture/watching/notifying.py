"""What the operating system says about changes in the watched directories.

On Linux each directory is watched by itself, without those below it: so nothing is spent on ignored directories, no
symbolic link is followed, and the kernel's limit is noticed whenever it is reached.
"""

import sys
import time
from collections.abc import Collection, Iterable, Iterator

from watchfiles._rust_notify import RustNotify, WatchfilesRustInternalError

from capture.watching.telling import logger

LIMIT_REACHED = "File watcher limit reached. Cannot watch additional files."
HOW_TO_RAISE = (
    "Raise it with `sudo sysctl fs.inotify.max_user_watches=1048576`, and for good with a line"
    " `fs.inotify.max_user_watches=1048576` in /etc/sysctl.d/60-suture.conf (for many programs that watch, also"
    " fs.inotify.max_user_instances=1024); then start again. Until then, what cannot be watched is looked through every"
    " {seconds:.0f} seconds."
)
#: How many watchers there may be before they are made one.
_MOST_WATCHERS = 8
#: Milliseconds for which changes that come together are collected.
_COLLECTED_MS = 200
_STEP_MS = 10
_EACH_BY_ITSELF = sys.platform == "linux"


class Notifier:
    """Watches directories; call `poll` often."""

    def __init__(self, poll_seconds: float) -> None:
        """`poll_seconds` is how often the caller looks through everything when not all can be watched."""
        self._poll_seconds = poll_seconds
        self._watchers: list[RustNotify] = []
        #: The absolute paths that are to be watched.
        self.directories: set[str] = set()
        #: Whether some of them are not watched, because the limit is reached.
        self.is_limited = False
        #: Whether changes may have been missed since the caller last set it to False.
        self.has_missed = False

    def watch(self, directories: Iterable[str]) -> None:
        """Watch more directories. Look through them afterwards: what happened before is not told."""
        added = [directory for directory in directories if directory not in self.directories]
        if not added:
            return
        self.directories.update(added)
        if len(self._watchers) >= _MOST_WATCHERS:
            self._renew()
        else:
            self._add(added)

    def forget(self, directories: Collection[str]) -> None:
        """Directories are gone, with what was in them, or others are in their place: `watch` those again."""
        self.directories -= {one for one in self.directories if any(part in directories for part in _upwards(one))}

    def poll(self, milliseconds: int) -> set[str]:
        """The absolute paths that changed, waiting for so many milliseconds or a little more."""
        if not self._watchers:
            time.sleep(milliseconds / 1000)
            return set()
        changed: set[str] = set()
        try:
            step, each = min(_STEP_MS, milliseconds), milliseconds // len(self._watchers) or 1
            for watcher in self._watchers:
                answer = watcher.watch(_COLLECTED_MS, step, each, None)
                if not isinstance(answer, str):
                    changed.update(path for _, path in answer)
        except WatchfilesRustInternalError as error:
            # A name that is not UTF-8, for example; this watcher tells nothing any more.
            logger.info("Watching again, because of: %s", error)
            time.sleep(0.2)
            self._renew()
        return changed

    def close(self) -> None:
        """Watch nothing any more."""
        while self._watchers:
            self._watchers.pop().close()

    def _renew(self) -> None:
        self.close()
        self.has_missed = True
        self._add(sorted(self.directories))

    def _add(self, directories: list[str]) -> None:
        for is_patient in (False, False, True):
            try:
                self._watchers.append(_watcher(directories, is_patient=is_patient))
            except FileNotFoundError:  # one of them is gone meanwhile
                continue
            except (OSError, WatchfilesRustInternalError) as error:
                if _is_limit(error):
                    self._say_limited()
                elif is_patient:
                    logger.warning("Cannot watch: %s. It is looked through from time to time.", error)
                    self.is_limited = True
            else:
                return

    def _say_limited(self) -> None:
        if not self.is_limited:
            logger.error("%s %s", LIMIT_REACHED, HOW_TO_RAISE.format(seconds=self._poll_seconds))
        self.is_limited = True


def _watcher(directories: list[str], *, is_patient: bool) -> RustNotify:
    """A watcher for these directories. A patient one goes on where one of them cannot be watched."""
    return RustNotify(directories, False, False, 0, not _EACH_BY_ITSELF, is_patient)


def _is_limit(error: Exception) -> bool:
    """Whether an error says that the user has as many watches, or watchers, as the system lets them have."""
    return any(words in str(error) for words in ("watch limit reached", "MaxFilesWatch", "Too many open files"))


def _upwards(path: str) -> Iterator[str]:
    """The path, and all that it is in."""
    while path:
        yield path
        path = path.rpartition("/")[0]
