"""Memory settings of the embedded PostgreSQL, by the memory of the machine."""

import os
import re
from collections.abc import Mapping
from pathlib import Path

from memory_project.stack.processes import StackError

VARIABLE = "SUTURE_POSTGRES"
_MB = 1024**2
_GB = 1024**3
#: What VARIABLE may set: sizes and counts, nothing that affects access, logging or durability.
ADJUSTABLE = frozenset(
    {
        *("shared_buffers", "effective_cache_size", "work_mem", "maintenance_work_mem", "max_connections"),
        *("max_wal_size", "min_wal_size", "checkpoint_timeout", "random_page_cost", "effective_io_concurrency"),
        *("max_worker_processes", "max_parallel_workers", "max_parallel_workers_per_gather"),
        *("max_parallel_maintenance_workers", "autovacuum_max_workers", "hash_mem_multiplier"),
    }
)
_VALUE = re.compile(r"-?[0-9.]+ ?(?:kB|MB|GB|TB|ms|s|min|h|d)?")
#: The memory limit of a control group: version 2, then 1.
_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


def memory_of_machine(limits: tuple[str, ...] = _LIMITS) -> int:
    """The bytes of memory available to this process and its children: the machine's, or a container's limit."""
    physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    for file in limits:
        try:
            return min(physical, int(Path(file).read_text()))
        except (OSError, ValueError):  # the file does not exist, or contains `max`
            continue
    return physical


def sizes(memory: int) -> dict[str, str]:
    """The settings for a machine of `memory` bytes, which PostgreSQL shares with the web server, the workers and their
    models. Shared buffers are a quarter, as PostgreSQL's documentation recommends (resource consumption). The others
    follow from that: effective_cache_size is half, and work_mem lets one sort in each of 100 sessions fit into a
    fifth."""
    return {
        "shared_buffers": _between(128 * _MB, memory // 4, 16 * _GB),
        "effective_cache_size": _between(256 * _MB, memory // 2, 256 * _GB),
        "work_mem": _between(4 * _MB, memory // 512, 64 * _MB),
        "maintenance_work_mem": _between(64 * _MB, memory // 16, 2 * _GB),
        "max_wal_size": _between(_GB, memory // 6, 4 * _GB),
    }


def adjusted(environment: Mapping[str, str]) -> dict[str, str]:
    """The settings that an operator chose: `SUTURE_POSTGRES="shared_buffers=2GB, work_mem=32MB"`. Raises StackError for
    a setting that cannot be set here, and for an invalid value."""
    chosen: dict[str, str] = {}
    for part in filter(None, map(str.strip, environment.get(VARIABLE, "").split(","))):
        name, _, value = (one.strip() for one in part.partition("="))
        if name not in ADJUSTABLE:
            raise StackError(f"{VARIABLE} cannot set {name!r}. It can set: {', '.join(sorted(ADJUSTABLE))}.")
        if not _VALUE.fullmatch(value):
            raise StackError(
                f"{VARIABLE} has an invalid value for {name}: {value!r}. Use a value such as 64, 0.5 or 2GB."
            )
        chosen[name] = value
    return chosen


def _between(least: int, wanted: int, most: int) -> str:
    return f"{max(least, min(wanted, most)) // _MB}MB"
