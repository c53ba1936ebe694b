"""How much memory the embedded PostgreSQL takes, by what the machine has."""

import os
import re
from collections.abc import Mapping
from pathlib import Path

from memory_project.stack.processes import StackError

VARIABLE = "SUTURE_POSTGRES"
_MB = 1024**2
_GB = 1024**3
#: What VARIABLE may set: sizes and numbers, nothing that decides who connects, what is logged or what is durable.
ADJUSTABLE = frozenset(
    {
        *("shared_buffers", "effective_cache_size", "work_mem", "maintenance_work_mem", "max_connections"),
        *("max_wal_size", "min_wal_size", "checkpoint_timeout", "random_page_cost", "effective_io_concurrency"),
        *("max_worker_processes", "max_parallel_workers", "max_parallel_workers_per_gather"),
        *("max_parallel_maintenance_workers", "autovacuum_max_workers", "hash_mem_multiplier"),
    }
)
_VALUE = re.compile(r"-?[0-9.]+ ?(?:kB|MB|GB|TB|ms|s|min|h|d)?")
#: Where a control group says how much memory its processes may use: version 2, then 1.
_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


def memory_of_machine(limits: tuple[str, ...] = _LIMITS) -> int:
    """The bytes of memory that this process and its children may use: the machine's, or less in a container."""
    physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    for file in limits:
        try:
            return min(physical, int(Path(file).read_text()))
        except (OSError, ValueError):  # there is no such file, or it says `max`
            continue
    return physical


def sizes(memory: int) -> dict[str, str]:
    """The settings for a machine of `memory` bytes, of which PostgreSQL shares with the web server, the workers and
    their models. A quarter for shared buffers is what PostgreSQL's documentation recommends (resource consumption);
    the others follow from it: half for what the planner takes for cached, and so much for a sort that 100 sessions
    with one each fit into a fifth."""
    return {
        "shared_buffers": _between(128 * _MB, memory // 4, 16 * _GB),
        "effective_cache_size": _between(256 * _MB, memory // 2, 256 * _GB),
        "work_mem": _between(4 * _MB, memory // 512, 64 * _MB),
        "maintenance_work_mem": _between(64 * _MB, memory // 16, 2 * _GB),
        "max_wal_size": _between(_GB, memory // 6, 4 * _GB),
    }


def adjusted(environment: Mapping[str, str]) -> dict[str, str]:
    """The settings that an operator chose: `SUTURE_POSTGRES="shared_buffers=2GB, work_mem=32MB"`. Raises StackError for
    a setting that cannot be chosen here, and for what is no value."""
    chosen: dict[str, str] = {}
    for part in filter(None, map(str.strip, environment.get(VARIABLE, "").split(","))):
        name, _, value = (one.strip() for one in part.partition("="))
        if name not in ADJUSTABLE:
            raise StackError(f"{VARIABLE} cannot set {name!r}. It can set: {', '.join(sorted(ADJUSTABLE))}.")
        if not _VALUE.fullmatch(value):
            raise StackError(f"{VARIABLE} has no value for {name} such as 64, 0.5 or 2GB: {value!r}.")
        chosen[name] = value
    return chosen


def _between(least: int, wanted: int, most: int) -> str:
    return f"{max(least, min(wanted, most)) // _MB}MB"
