"""Keeps the memory of Markdown files in step with the files of the roots.

The main thread watches, decides and keeps the state; a few others read and send. Of a file that waits only its path is
kept: what is sent is read when it can be sent.
"""

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from capture.filtering import Ignored
from capture.watching.contact import TRIES, Contact
from capture.watching.jobs import Job, Kind
from capture.watching.notifying import Notifier
from capture.watching.progress import Progress
from capture.watching.reading import Changing, Look, Unreadable, Vanished
from capture.watching.roots import Root
from capture.watching.scanning import look, scan
from capture.watching.sending import Files, Rejected, ServerFailed, Unauthorized, Unavailable
from capture.watching.state import RootState
from capture.watching.telling import logger
from capture.watching.working import Done, Workers

#: How many files are read and sent at a time, and how many jobs are handed to the threads ahead.
THREADS = 4
_AHEAD = 64
#: Seconds between two looks through everything: events may be lost, and tell nothing of network directories.
SCAN_SECONDS = 60.0
POLL_SECONDS = 5.0
_ROOTS_SECONDS = 1.0
#: Seconds after a change of the rules.
_RULES_SECONDS = 0.3
#: Seconds that the end waits for what is being sent.
_LAST_SECONDS = 1.0
_TICK = 0.1


class Watcher:
    """Watches roots until `stopped` answers true, or with `once` until everything is in step."""

    def __init__(
        self,
        roots: Sequence[Root],
        files: Files,
        progress: Progress,
        *,
        once: bool = False,
        compute_embedding: bool = True,
        lists: Ignored | None = None,
        stopped: Callable[[], bool] = bool,
    ) -> None:
        self.states = [RootState(root, lists=lists or Ignored()) for root in roots]
        self._files = files
        self._progress = progress
        self._once = once
        self._compute_embedding = compute_embedding
        self._stopped = stopped
        self._workers = Workers(THREADS)
        self._notifier = Notifier(POLL_SECONDS)
        self._contact = Contact(TRIES if once else None)
        self._next_look_at_roots = 0.0

    def run(self) -> bool:
        """Watch. Returns whether everything that was to be done was done.

        Raises Unauthorized or Rejected where the server refuses the first request, Unavailable where it is away and
        `once` is asked for.
        """
        try:
            while not self._stopped():
                self._turn()
                if self._once and all(state.is_settled for state in self.states):
                    break
            self._finish()
        finally:
            self._progress.close()
            self._notifier.close()
        return not any(state.counts.failed or state.failures or not state.is_listed for state in self.states)

    def _turn(self) -> None:
        busy = self._workers.pending > 0
        for done in self._workers.taken(_TICK / 2 if busy else 0):
            self._take(done)
        now = time.monotonic()
        self._look_at_roots(now)
        if self._once:
            if not busy:
                time.sleep(_TICK / 10)
        else:
            self._notice(self._notifier.poll(1 if busy else int(_TICK * 1000)))
            if self._notifier.has_missed:
                self._notifier.has_missed = False
                for state in self.states:
                    state.next_scan = 0.0
        now = time.monotonic()
        for state in self.states:
            if state.is_gone:
                continue
            if not state.is_listed:
                self._list(state)
            else:
                if now >= state.next_scan:
                    self._scan(state)
                self._work(state, time.monotonic())
                self._tell_progress(state)

    # what happens on the disk

    def _notice(self, paths: set[str]) -> None:
        """Events about absolute paths."""
        now = time.monotonic()
        watched = paths & self._notifier.directories
        if watched:
            self._notifier.forget(watched)
        for state in self.states:
            base = str(state.root.path).rstrip("/") + "/"
            gone: set[str] = set()
            for path in paths:
                if path.startswith(base) and not state.is_gone:
                    if not self._notice_in(state, path[len(base) :], now) and path in watched:
                        gone.add(path[len(base) :])
                elif path == str(state.root.path):
                    state.next_scan = 0.0
            state.miss_below(gone, now)

    def _notice_in(self, state: RootState, relative: str, now: float) -> bool:
        """An event about a path of a root; returns whether something is there."""
        if state.rules.is_rules_file(state.root.path / relative):
            state.next_scan = min(state.next_scan, now + _RULES_SECONDS)
            return True
        found = look(state.root, state.rules, state.once, relative)
        if relative in found.directories:
            self._scan(state, relative)
        elif relative in found.files:
            if state.seen.get(relative) != found.files[relative]:
                state.wait(relative, found.files[relative], now)
        elif relative in state.known and not found.unread:
            state.miss(relative, now)
        return bool(found.directories or found.files or found.unread)

    def _scan(self, state: RootState, below: str = "") -> None:
        """Look through a root, or one directory of it, and watch the directories in it."""
        begun = time.monotonic()
        if not below:
            state.renew_rules()
        found = scan(state.root, state.rules, state.once, below, self._stopped)
        if self._stopped():
            return
        if not self._once:
            known = self._notifier.directories
            new = [str(state.root.path / one) for one in found.directories]
            new = [one for one in new if one not in known]
            if new:
                self._notifier.watch(new)
                # What was made in them before they were watched is found by looking again.
                found = scan(state.root, state.rules, state.once, below, self._stopped)
                if self._notifier.is_limited:
                    state.next_scan = min(state.next_scan, time.monotonic() + POLL_SECONDS)
                if any(str(state.root.path / one) not in known for one in found.directories):
                    state.next_scan = 0.0
        now = time.monotonic()
        state.compare(found, below, now)
        if not below:
            every = POLL_SECONDS if self._notifier.is_limited else SCAN_SECONDS
            state.next_scan = now + max(every, 20 * (now - begun))
            if state.is_first and not state.total:
                state.total = len(found.files)

    def _look_at_roots(self, now: float) -> None:
        """Notice roots that vanish, and that come back."""
        if now < self._next_look_at_roots:
            return
        self._next_look_at_roots = now + _ROOTS_SECONDS
        for state in self.states:
            if not state.notice_root():
                continue
            if state.is_gone:
                state.waiting.clear()
                state.missing.clear()
                self._notifier.forget({str(state.root.path)})
                logger.error(
                    "Watch directory is gone: %s. It is watched again when it is back.",
                    state.root.shown("").rstrip("/"),
                )
            else:
                state.next_scan = 0.0
                logger.info("Watch directory is back: %s", state.root)

    # what is done about it

    def _list(self, state: RootState) -> None:
        """Ask the server what it has, unless it was asked already or is not to be asked yet."""
        if self._contact.may_ask() and "" not in state.in_flight:
            self._give(Job(state, Kind.LIST))

    def _work(self, state: RootState, now: float) -> None:
        """Hand out jobs for what is quiet and due."""
        if self._contact.is_away:
            return
        for path in list(state.waiting):
            if self._workers.pending >= _AHEAD:
                return
            if not state.is_due(path, now) or not state.is_quiet(path, now):
                continue
            signature = state.waiting[path].signature
            if signature is None:  # it is gone; the scan and the events say the same
                del state.waiting[path]
                if path in state.known:
                    state.miss(path, now)
                continue
            self._give(Job(state, Kind.LOOK, path))
        due = [path for path, when in state.missing.items() if when <= now and state.is_due(path, now)]
        if due and not self._may_turn_up(state):
            for path in due[: _AHEAD - self._workers.pending]:
                self._mark_deleted(state, path)

    def _may_turn_up(self, state: RootState) -> bool:
        """Whether a file that the server does not know is still to be looked at: it may be a missing one, renamed."""
        return any(
            path not in state.known and path not in state.failures for path in (*state.waiting, *state.in_flight)
        )

    def _mark_deleted(self, state: RootState, path: str) -> None:
        found = look(state.root, state.rules, state.once, path)
        if path in found.files:  # it is back
            del state.missing[path]
            state.wait(path, found.files[path], time.monotonic())
        elif found.unread or state.number is None or state.place() != state.number:
            del state.missing[path]
        else:
            self._give(Job(state, Kind.DELETE, path))

    def _give(self, job: Job) -> None:
        job.state.in_flight.add(job.path)
        if job.kind is not Kind.DELETE:
            job.state.waiting.pop(job.path, None)
        self._workers.give(job, partial(job.do, self._files, compute_embedding=self._compute_embedding))

    # what became of it

    def _take(self, done: Done) -> None:
        job: Job = done.job
        state = job.state
        state.in_flight.discard(job.path)
        if done.error is not None:
            self._judge(job, done.error)
            return
        if self._contact.is_away and job.kind is not Kind.LOOK:
            self._is_back()
        match job.kind:
            case Kind.LIST:
                self._contact.has_answered = True
                state.relist(done.answer)
                state.next_scan = 0.0
            case Kind.LOOK:
                self._decide(job, done.answer)
            case Kind.DELETE:
                state.missing.pop(job.path, None)
                self._succeeded(job)
                state.known.pop(job.path, None)
                state.seen.pop(job.path, None)
                state.counts.deleted += 1
            case Kind.RENAME:
                self._succeeded(job)
                state.known.pop(job.former, None)
                state.seen.pop(job.former, None)
                state.counts.renamed += 1
            case Kind.SEND:
                state.counts.add(done.answer, was_known=job.path in state.known)
                self._succeeded(job)

    def _decide(self, job: Job, found: Look) -> None:
        """What to do with a file now that its hash is known."""
        state, path = job.state, job.path
        if state.known.get(path) == found.file_hash:
            self._succeeded(replace(job, look=found))
            state.counts.unchanged += state.is_first
            return
        former = None if path in state.known else self._missing_with(state, path, found.file_hash)
        if former is None:
            self._give(replace(job, kind=Kind.SEND, look=found))
        else:
            del state.missing[former]
            self._give(replace(job, kind=Kind.RENAME, look=found, former=former))

    def _missing_with(self, state: RootState, path: str, file_hash: str) -> str | None:
        """A missing file of the same content, one of the same name rather than another."""
        name = path.rpartition("/")[2]
        alike = [one for one in state.missing if state.known.get(one) == file_hash and one not in state.in_flight]
        return next((one for one in alike if one.rpartition("/")[2] == name), alike[0] if alike else None)

    def _succeeded(self, job: Job) -> None:
        state = job.state
        state.failures.pop(job.path, None)
        state.once.forget(str(state.root.path / job.path))
        if job.look is not None:
            state.known[job.path] = job.look.file_hash
            state.seen[job.path] = job.look.signature

    def _judge(self, job: Job, error: Exception) -> None:
        """What to do about an error of a job."""
        state, now = job.state, time.monotonic()
        where = str(state.root.path / job.path)
        if job.kind is Kind.RENAME and not isinstance(error, Rejected):
            state.miss(job.former, now)
        match error:
            case Unavailable() | Unauthorized():
                self._wait_for_server(job, error)
                if job.path:
                    self._put_back(job)
            case Changing():
                state.wait(job.path, None, now)
            case Vanished():
                state.once.say(where, str(error), logging.ERROR)
                if job.path in state.known:
                    state.miss(job.path, now)
            case Unreadable():
                state.counts.skipped += state.once.say(where, str(error), logging.ERROR)
                self._leave(job)
            case ServerFailed() if job.kind is not Kind.LIST:
                message = f"Failed to store memory: {error} ({state.root.shown(job.path)} is tried again later.)"
                state.once.say(where, message, logging.ERROR)
                state.fail(job.path, now)
                self._put_back(job)
            case Rejected() if job.kind is Kind.RENAME:
                # Then as two changes: the one path is new, the other is gone.
                state.miss(job.former, now)
                self._give(replace(job, kind=Kind.SEND))
            case Rejected() if job.kind is not Kind.LIST:
                message = (
                    f"Failed to store memory: {error} ({state.root.shown(job.path)} is tried again when it changes.)"
                )
                state.counts.failed += state.once.say(where, message, logging.ERROR)
                state.missing.pop(job.path, None)
                self._leave(job)
            case Rejected() | ServerFailed():
                if not self._contact.has_answered and isinstance(error, Rejected):
                    raise error
                self._wait_for_server(job, Unavailable(str(error)))
            case _:
                logger.error("%s: %s: %s", state.root.shown(job.path), type(error).__name__, error)
                state.counts.failed += 1
                self._leave(job)

    def _put_back(self, job: Job) -> None:
        """The file waits again, or its deletion does."""
        if job.kind is Kind.DELETE:
            job.state.miss(job.path, time.monotonic())
        else:
            job.state.wait(job.path, job.look.signature if job.look else None, time.monotonic())

    def _leave(self, job: Job) -> None:
        """Leave the file as it is until it changes."""
        found = look(job.state.root, job.state.rules, job.state.once, job.path)
        if job.path in found.files:
            job.state.seen[job.path] = job.look.signature if job.look else found.files[job.path]

    def _wait_for_server(self, job: Job, error: Unavailable | Unauthorized) -> None:
        """Ask again later. What is known of the server is then asked again."""
        was_away = self._contact.is_away
        if not self._contact.lose(error, asked=job.kind is Kind.LIST):
            return
        if not was_away:
            logger.error("%s What changes is kept in mind and sent later.", error)
        for state in self.states:
            state.is_listed = False

    def _is_back(self) -> None:
        waiting = sum(len(state.waiting) + len(state.missing) for state in self.states)
        logger.info("Suture answers again at %s; %s files wait to be sent.", self._files.url, f"{waiting:,}")
        self._contact.resume()

    # what is said

    def _tell_progress(self, state: RootState) -> None:
        if not state.is_first:
            return
        left = len(state.waiting) + len(state.in_flight)
        self._progress.update(state.root.name, max(0, state.total - left), state.total)
        if state.is_settled:
            state.is_first = False
            self._progress.end(state.root.name)
            logger.info("%s: looked through %s files: %s", state.root.name, f"{state.total:,}", state.counts)

    def _finish(self) -> None:
        """Give what is being sent a moment to arrive."""
        deadline = time.monotonic() + _LAST_SECONDS
        while self._workers.pending and (seconds := deadline - time.monotonic()) > 0 and self._stopped():
            for done in self._workers.taken(seconds):
                done.job.state.in_flight.discard(done.job.path)
