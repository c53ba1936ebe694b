"""Suture's client: memory for applications, hooks, the watcher, importers, the MCP server on stdio, and checkpoints."""

# Not that of `typing`, which hooks would have to import.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from suture_client.errors import (
        Conflict,
        Failed,
        Forbidden,
        Invalid,
        NotFound,
        Problem,
        RateLimited,
        Unauthorized,
        Unavailable,
    )
    from suture_client.memory.awaiting import AsyncMemory, AsyncMemoryItem
    from suture_client.memory.blocking import Memory, MemoryItem

__version__ = "0.1.0"

__all__ = [
    "AsyncMemory",
    "AsyncMemoryItem",
    "Conflict",
    "Failed",
    "Forbidden",
    "Invalid",
    "Memory",
    "MemoryItem",
    "NotFound",
    "Problem",
    "RateLimited",
    "Unauthorized",
    "Unavailable",
]

_MODULES = {
    **dict.fromkeys(("Memory", "MemoryItem"), "memory.blocking"),
    **dict.fromkeys(("AsyncMemory", "AsyncMemoryItem"), "memory.awaiting"),
}


def __getattr__(name: str) -> object:
    """Import a name when it is used first: hooks must start without httpx."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_MODULES.get(name, 'errors')}"), name)
