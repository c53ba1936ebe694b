"""Runs the watcher for the command."""

import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import Any

from suture_client import filtering
from suture_client.watching.events import Events
from suture_client.watching.files_api import Files
from suture_client.watching.name_locks import name_lock
from suture_client.watching.output import log_to_stderr, logger
from suture_client.watching.roots import Refused, find_roots
from suture_client.watching.watcher import Watcher


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
) -> bool:
    """Watch until interrupted, or with `once` until memory is up to date; returns whether it is.

    `configuration` is the content of the client's configuration file. Raises Failed if the watcher cannot start. An
    interruption ends the process.
    """
    log_to_stderr(as_json=log_json)
    roots = find_roots(directories, names)
    lists = filtering.ignored(configuration)
    if lists.problem:
        raise Refused(lists.problem)
    try:
        with ExitStack() as held:
            for root in roots:
                held.enter_context(name_lock(root, url))
            files = held.enter_context(Files(url, key))
            for root in roots:
                logger.info("Watching %s as %s", root, root.session_id)
            watcher = Watcher(roots, files, once=once, compute_embedding=compute_embedding, lists=lists)
            if once:
                return watcher.run_once()
            events = Events()
            while True:
                watcher.look()
                events.wait(watcher.directories, watcher.seconds)
    except KeyboardInterrupt:
        logger.info("Stopped.")
        # Do not wait for threads, which may take a minute. A version without its last part never becomes current.
        os._exit(1 if once else 0)
