"""Suture's client: memory for applications, hooks, the watcher, importers, the MCP server on stdio, and checkpoints."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

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


def __getattr__(name: str) -> Any:
    """Import a name when it is used first: hooks must start without httpx."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES.get(name, 'errors')}"), name)
