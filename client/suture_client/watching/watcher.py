"""Keeps memory up to date with the files of the roots: scan a root, compare it with the server, send the differences.

Each scan finds all pending work, independently of earlier scans."""

import logging
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from http import HTTPStatus
from typing import Protocol

from suture_client import progress
from suture_client.errors import Away, Failed, NotSuture, Problem
from suture_client.filtering import Ignored
from suture_client.watching.files_api import Files, send_version
from suture_client.watching.markdown_files import Changing, MarkdownFile, Unreadable, read
from suture_client.watching.output import logger
from suture_client.watching.roots import Root
from suture_client.watching.scanning import scan
from suture_client.watching.state import QUIET, RootState, counts_of

#: The number of files that are read and sent at once.
THREADS = 4
#: Seconds between full scans: events may be lost, and network directories send none.
LOOK_SECONDS = 60.0
#: Seconds between checks for a missing root.
GONE_SECONDS = 1.0
#: Seconds until the first retry if the server is unavailable, doubled each time up to the maximum.
AWAY, LONGEST_AWAY = 1.0, 60.0
#: The number of attempts of `--once` if the server is unavailable.
TRIES = 3


class Clock(Protocol):
    """The module `time`, or a replacement in tests."""

    def monotonic(self) -> float: ...

    def sleep(self, seconds: float, /) -> None: ...


class Watcher:
    """Keeps a server up to date with roots."""

    def __init__(
        self,
        roots: Sequence[Root],
        files: Files,
        *,
        once: bool = False,
        compute_embedding: bool = True,
        lists: Ignored | None = None,
        clock: Clock = time,
    ) -> None:
        """With `once`, an unavailable server is an error. `lists` are the user's ignore lists."""
        self.states = [RootState(root) for root in roots]
        self._files = files
        self._once = once
        self._compute_embedding = compute_embedding
        self._lists = lists or Ignored()
        self._clock = clock
        self._threads = ThreadPoolExecutor(THREADS)
        self._next_look = 0.0
        #: Consecutive failed attempts to reach the server.
        self._failed_attempts = 0
        self._has_answered = False

    @property
    def directories(self) -> dict[str, int]:
        """The directories to watch, with their inode numbers."""
        return {path: number for state in self.states for path, number in state.directories.items()}

    @property
    def seconds(self) -> float:
        """Seconds until the next scan if nothing changes."""
        return max(0.0, self._next_look - self._clock.monotonic())

    def run_once(self) -> bool:
        """Update the memory once; returns whether everything succeeded. Raises as `look`."""
        self.look()
        while not all(state.is_settled for state in self.states):
            self._clock.sleep(self.seconds)
            self.look()
        return not any(state.is_gone or state.failures or state.counts["failed"] for state in self.states)

    def look(self) -> None:
        """Scan the roots, and send the differences to the server if it is available.

        Raises Problem if the server refuses the first request, Away or Problem if it is unavailable and `once` is set,
        and UnsupportedVersion.
        """
        if self._failed_attempts and self.seconds:
            return
        started = self._clock.monotonic()
        try:
            for state in self.states:
                self._synchronize(state)
        except (Away, Problem) as error:
            self._wait_for_server(error)
        else:
            due_times = [
                due
                for state in self.states
                for due in ([started + GONE_SECONDS] if state.is_gone else state.due_times())
            ]
            self._next_look = min([started + LOOK_SECONDS, *due_times])

    def _synchronize(self, state: RootState) -> None:
        if not state.is_listed:
            self._list(state)
        found = scan(state.root, state.once, self._lists)
        is_gone = not found.covers("")
        if is_gone and not state.is_gone:
            logger.error("Watch directory is gone: %s. Watching resumes when it reappears.", state.root)
        elif state.is_gone and not is_gone:
            logger.info("Watch directory reappeared: %s", state.root)
        state.is_gone, state.directories = is_gone, found.directories
        if is_gone:
            return
        now = self._clock.monotonic()
        state.compare(found, now)
        if ready := state.ready(now):
            with progress.progress_bar(len(ready), f"files of {state.root.name}", logger.info) as bar:
                done = self._threads.map(partial(self._read_and_send, state), ready)
                for number, (path, (file, counts, error)) in enumerate(zip(ready, done, strict=True), 1):
                    state.counts += counts
                    self._handle_result(state, path, file, error)
                    bar.advance(1)
                    bar.set_count(number)
        else:  # otherwise scan again first: a missing file may have reappeared while others were sent
            for path in state.deleted(now):
                self._mark_deleted(state, path)
        if state.is_settled and not state.is_reported:
            state.is_reported = True
            logger.info("%s: scanned %s files: %s", state.root.name, f"{len(found.files):,}", state)

    def _list(self, state: RootState) -> None:
        """Fetch the server's list of files."""
        listed = self._files.listed(state.root.session_id)
        state.relist({one.path: one.file_hash for one in listed if not one.is_deleted})
        self._has_answered = True
        if self._failed_attempts:
            logger.info("Suture is available again at %s.", self._files.url)
            self._failed_attempts = 0

    def _wait_for_server(self, error: Away | Problem) -> None:
        """Schedule a retry, with a longer pause each time. The list of files is then fetched again."""
        self._failed_attempts += 1
        problem = error if isinstance(error, Problem) else None
        is_refused = not (problem.is_temporary or problem.is_server_error) if problem else isinstance(error, NotSuture)
        if (is_refused and not self._has_answered) or (self._once and self._failed_attempts == TRIES):
            raise error
        if self._failed_attempts == 1:
            said = f"Suture accepts no requests now (status {problem.status}). {problem}" if problem else error
            logger.error("%s Changes are sent later.", said)
        for state in self.states:
            state.is_listed = False
        seconds = AWAY * 2 ** min(self._failed_attempts - 1, 10)
        if problem:
            seconds = max(seconds, problem.retry_after)
        self._next_look = self._clock.monotonic() + min(seconds, LONGEST_AWAY)

    def _read_and_send(self, state: RootState, path: str) -> tuple[MarkdownFile | None, Counter[str], Exception | None]:
        """In a thread: read a file, and send it if it differs from the server's. Returns the file, the counts, and the
        error if there was one."""
        file = None
        try:
            file = read(state.root, path)
            return file, self._send(state, path, file), None
        except Exception as error:
            return file, Counter(), error

    def _send(self, state: RootState, path: str, file: MarkdownFile) -> Counter[str]:
        was_known = path in state.known
        if state.known.get(path) == file.file_hash:
            return Counter(unchanged=1)
        if not was_known and (former := state.take_missing(path, file.file_hash)):
            try:
                self._files.rename(state.root.session_id, former, path)
            except Problem as problem:
                if _applies_to_all(problem) or problem.is_server_error:
                    raise
                # then as two changes: a new file and a deleted one
                state.missing[former] = self._clock.monotonic()
            else:
                state.mark_absent(former)
                return Counter(renamed=1)
        answer = send_version(self._files, state.root, path, file, compute_embedding=self._compute_embedding)
        return counts_of(answer, was_known=was_known)

    def _handle_result(self, state: RootState, path: str, file: MarkdownFile | None, error: Exception | None) -> None:
        """Handle the result of reading and sending a file."""
        place, where = str(state.root.path / path), state.root.shown(path)
        signature = file.signature if file else state.waiting[path].signature
        match error:
            case Failed() if _applies_to_all(error):
                raise error
            case Changing():
                state.waiting[path].due = self._clock.monotonic() + QUIET
            case Unreadable():
                state.counts["skipped"] += state.once.say(place, str(error), logging.ERROR)
                state.leave(path, signature)
            case Problem() if error.is_server_error:
                message = f"Failed to store memory: {error} ({where} will be retried later.)"
                state.once.say(place, message, logging.ERROR)
                state.fail(path, self._clock.monotonic())
            case Problem():
                message = f"Failed to store memory: {error} ({where} will be retried when it changes.)"
                state.counts["failed"] += state.once.say(place, message, logging.ERROR)
                state.leave(path, signature)
            case Exception():  # a bug: continue with the other files
                logger.error("%s is skipped until it changes.", where, exc_info=error)
                state.counts["failed"] += 1
                state.leave(path, signature)
            case None if file:
                state.mark_stored(path, file)

    def _mark_deleted(self, state: RootState, path: str) -> None:
        try:
            self._files.mark_deleted(state.root.session_id, path)
        except Problem as error:
            if _applies_to_all(error):
                raise
            where = state.root.shown(path)
            message = f"Failed to mark memory as deleted: {error} ({where} will be retried later.)"
            state.once.say(str(state.root.path / path), message, logging.ERROR)
            state.fail(path, self._clock.monotonic())
        else:
            state.mark_absent(path)
            state.counts["deleted"] += 1


def _applies_to_all(error: Failed) -> bool:
    """Return whether the error applies to all files, not only to this one."""
    if isinstance(error, Problem):
        return error.is_temporary or error.status == HTTPStatus.UNAUTHORIZED
    return True
