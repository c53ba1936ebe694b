"""The metric of what the supervisor started again, beside those of web and worker."""

import os
from collections.abc import Callable, Iterable
from pathlib import Path


def counter(directory: Path, names: Iterable[str]) -> Callable[[str], None]:
    """What counts a restart by the name of the process, for `/metrics`, which reads `directory`. Each of `names` is
    there from the start, with 0. For a process that has no other metrics: this decides where all of them go."""
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(directory)
    # The library looks for the variable when it is imported.
    from prometheus_client import Counter

    restarts = Counter("suture_restarts", "Processes that ended and were started again.", ["process"])
    for name in names:
        restarts.labels(name)
    return lambda name: restarts.labels(name).inc()
