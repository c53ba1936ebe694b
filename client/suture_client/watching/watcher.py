"""Keeps the memory of Markdown files in step with the files of the roots: look through a root, compare with what the
server has, send what differs. Each look finds all that is to be done, whatever happened before it."""

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
from suture_client.watching.output import logger
from suture_client.watching.reading import Changing, MarkdownFile, Unreadable, read
from suture_client.watching.roots import Root
from suture_client.watching.scanning import scan
from suture_client.watching.state import QUIET, RootState, counted

#: How many files are read and sent at a time.
THREADS = 4
#: Seconds between two looks through everything: events may be lost, and tell nothing of network directories.
LOOK_SECONDS = 60.0
#: Seconds between two looks for a root that is gone.
GONE_SECONDS = 1.0
#: Seconds until a server that is away is asked again: the first time, and at most; doubled each time.
AWAY, LONGEST_AWAY = 1.0, 60.0
#: How often `--once` asks a server that is away.
TRIES = 3


class Clock(Protocol):
    """The module `time`, or what a test has in its place."""

    def monotonic(self) -> float: ...

    def sleep(self, seconds: float, /) -> None: ...


class Watcher:
    """Keeps roots in step with what a server has of them."""

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
        """With `once`, a server that stays away is an error. `lists` are the user's own."""
        self.states = [RootState(root) for root in roots]
        self._files = files
        self._once = once
        self._compute_embedding = compute_embedding
        self._lists = lists or Ignored()
        self._clock = clock
        self._threads = ThreadPoolExecutor(THREADS)
        self._next_look = 0.0
        #: How often a server that is away was asked in vain.
        self._asked = 0
        self._has_answered = False

    @property
    def directories(self) -> dict[str, int]:
        """The directories in which something may happen, each with what tells it from any other."""
        return {path: number for state in self.states for path, number in state.directories.items()}

    @property
    def seconds(self) -> float:
        """How long the next look can wait if nothing happens."""
        return max(0.0, self._next_look - self._clock.monotonic())

    def run_once(self) -> bool:
        """Bring the memory up to date; returns whether everything that was to be done was done. Raises as `look`."""
        self.look()
        while not all(state.is_settled for state in self.states):
            self._clock.sleep(self.seconds)
            self.look()
        return not any(state.is_gone or state.failures or state.counts["failed"] for state in self.states)

    def look(self) -> None:
        """Look through the roots, and send what differs from what the server has, unless it is away.

        Raises Problem where the server refuses the first request, Away or Problem where it is away and `once` is asked
        for, and UnsupportedVersion.
        """
        if self._asked and self.seconds:
            return
        begun = self._clock.monotonic()
        try:
            for state in self.states:
                self._bring_into_step(state)
        except (Away, Problem) as error:
            self._wait_for_server(error)
        else:
            dues = [due for state in self.states for due in ([begun + GONE_SECONDS] if state.is_gone else state.dues())]
            self._next_look = min([begun + LOOK_SECONDS, *dues])

    def _bring_into_step(self, state: RootState) -> None:
        if not state.is_listed:
            self._list(state)
        found = scan(state.root, state.once, self._lists)
        is_gone = not found.knows_of("")
        if is_gone and not state.is_gone:
            logger.error("Watch directory is gone: %s. It is watched again when it is back.", state.root)
        elif state.is_gone and not is_gone:
            logger.info("Watch directory is back: %s", state.root)
        state.is_gone, state.directories = is_gone, found.directories
        if is_gone:
            return
        now = self._clock.monotonic()
        state.compare(found, now)
        if ready := state.ready(now):
            with progress.shown(len(ready), f"files of {state.root.name}", logger.info) as bar:
                done = self._threads.map(partial(self._do, state), ready)
                for number, (path, (file, counts, error)) in enumerate(zip(ready, done, strict=True), 1):
                    state.counts += counts
                    self._judge(state, path, file, error)
                    bar.advance(1)
                    bar.tell(number)
        else:  # else look again first: a missing file may have come back while others were sent
            for path in state.deleted(now):
                self._mark_deleted(state, path)
        if state.is_settled and not state.is_told:
            state.is_told = True
            logger.info("%s: looked through %s files: %s", state.root.name, f"{len(found.files):,}", state)

    def _list(self, state: RootState) -> None:
        """Ask the server what it has."""
        listed = self._files.listed(state.root.session_id)
        state.relist({one.path: one.file_hash for one in listed if not one.is_deleted})
        self._has_answered = True
        if self._asked:
            logger.info("Suture answers again at %s.", self._files.url)
            self._asked = 0

    def _wait_for_server(self, error: Away | Problem) -> None:
        """Ask again later, longer each time. What it has is then asked again."""
        self._asked += 1
        problem = error if isinstance(error, Problem) else None
        is_refused = not (problem.is_temporary or problem.is_server_error) if problem else isinstance(error, NotSuture)
        if (is_refused and not self._has_answered) or (self._once and self._asked == TRIES):
            raise error
        if self._asked == 1:
            said = f"Suture takes nothing now (status {problem.status}). {problem}" if problem else error
            logger.error("%s What changes is kept in mind and sent later.", said)
        for state in self.states:
            state.is_listed = False
        seconds = AWAY * 2 ** min(self._asked - 1, 10)
        if problem:
            seconds = max(seconds, problem.retry_after)
        self._next_look = self._clock.monotonic() + min(seconds, LONGEST_AWAY)

    def _do(self, state: RootState, path: str) -> tuple[MarkdownFile | None, Counter[str], Exception | None]:
        """In a thread: read a file, and send it if the server has it otherwise. Answers the file, what was done, and
        the error if there was one."""
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
                if _concerns_everything(problem) or problem.is_server_error:
                    raise
                # then as two changes: the one path is new, the other is gone
                state.missing[former] = self._clock.monotonic()
            else:
                state.has_no_more(former)
                return Counter(renamed=1)
        answer = send_version(self._files, state.root, path, file, compute_embedding=self._compute_embedding)
        return counted(answer, was_known=was_known)

    def _judge(self, state: RootState, path: str, file: MarkdownFile | None, error: Exception | None) -> None:
        """What follows from what became of a file that was read and sent."""
        place, where = str(state.root.path / path), state.root.shown(path)
        signature = file.signature if file else state.waiting[path].signature
        match error:
            case Failed() if _concerns_everything(error):
                raise error
            case Changing():
                state.waiting[path].due = self._clock.monotonic() + QUIET
            case Unreadable():
                state.counts["skipped"] += state.once.say(place, str(error), logging.ERROR)
                state.leave(path, signature)
            case Problem() if error.is_server_error:
                message = f"Failed to store memory: {error} ({where} is tried again later.)"
                state.once.say(place, message, logging.ERROR)
                state.fail(path, self._clock.monotonic())
            case Problem():
                message = f"Failed to store memory: {error} ({where} is tried again when it changes.)"
                state.counts["failed"] += state.once.say(place, message, logging.ERROR)
                state.leave(path, signature)
            case Exception():  # a fault of this program: the other files go on
                logger.error("%s is left out until it changes.", where, exc_info=error)
                state.counts["failed"] += 1
                state.leave(path, signature)
            case None if file:
                state.has(path, file)

    def _mark_deleted(self, state: RootState, path: str) -> None:
        try:
            self._files.mark_deleted(state.root.session_id, path)
        except Problem as error:
            if _concerns_everything(error):
                raise
            where = state.root.shown(path)
            message = f"Failed to mark memory as deleted: {error} ({where} is tried again later.)"
            state.once.say(str(state.root.path / path), message, logging.ERROR)
            state.fail(path, self._clock.monotonic())
        else:
            state.has_no_more(path)
            state.counts["deleted"] += 1


def _concerns_everything(error: Failed) -> bool:
    """Whether nothing can be sent now, rather than this."""
    if isinstance(error, Problem):
        return error.is_temporary or error.status == HTTPStatus.UNAUTHORIZED
    return True
