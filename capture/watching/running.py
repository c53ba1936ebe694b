"""Running the watcher: for the command, and for measurements."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from capture import filtering
from capture.watching.claims import Claims
from capture.watching.progress import Lines, progress_for_stderr
from capture.watching.roots import Refused, find_roots
from capture.watching.sending import Files
from capture.watching.state import Counts
from capture.watching.telling import log_to_stderr, logger
from capture.watching.watcher import Watcher


def watch(
    directories: Sequence[str],
    names: Sequence[str],
    *,
    url: str,
    key: str,
    configuration: Mapping[str, Any],
    once: bool,
    compute_embedding: bool,
    log_json: bool,
    stopped: Callable[[], bool],
) -> bool:
    """Watch until `stopped`, or with `once` until everything is in step; returns whether it is. `configuration` is the
    content of the client's configuration file.

    Raises Failed where the watcher cannot start.
    """
    log_to_stderr(as_json=log_json)
    roots = find_roots(directories, names)
    lists = filtering.ignored(configuration)
    if lists.problem:
        raise Refused(lists.problem)
    progress = Lines() if log_json else progress_for_stderr()
    with Claims(url) as claims, Files(url, key) as files:
        for root in roots:
            claims.claim(root)
        for root in roots:
            logger.info("Watching %s as %s", root, root.session_id)
        watcher = Watcher(
            roots, files, progress, once=once, compute_embedding=compute_embedding, lists=lists, stopped=stopped
        )
        is_in_step = watcher.run()
        if stopped():
            logger.info("Stopped.")
        return is_in_step


@dataclass(frozen=True, slots=True)
class Indexed:
    """What it took to bring a directory's memory up to date."""

    files: int
    counts: Counts
    seconds: float
    is_in_step: bool

    @property
    def chunks_per_second(self) -> float:
        """How many chunks were stored in a second."""
        return self.counts.chunks_added / self.seconds


def index(directory: Path, *, url: str, key: str, name: str | None = None, compute_embedding: bool = True) -> Indexed:
    """Bring the memory of a directory's files up to date once, and measure it. Raises Failed."""
    root = find_roots([directory], [name] if name else [])[0]
    begun = time.perf_counter()
    with Files(url, key) as files:
        watcher = Watcher([root], files, Lines(), once=True, compute_embedding=compute_embedding)
        is_in_step = watcher.run()
    state = watcher.states[0]
    return Indexed(state.total, state.counts, time.perf_counter() - begun, is_in_step)
