"""The metric of restarts by the supervisor, beside those of web and worker."""

import os
from collections.abc import Callable, Iterable
from pathlib import Path


def counter(directory: Path, names: Iterable[str]) -> Callable[[str], None]:
    """Return a function that counts a restart by process name, for `/metrics`, which reads `directory`. Each of `names`
    starts at 0. Use it in a process without other metrics, because it sets the directory of all of them."""
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(directory)
    # The library looks for the variable when it is imported.
    from prometheus_client import Counter

    restarts = Counter("suture_restarts", "Processes that ended and were started again.", ["process"])
    for name in names:
        restarts.labels(name)
    return lambda name: restarts.labels(name).inc()
