"""The tools of memory for models. `MemoryConfig.ready` registers them."""

from governance.tools import registry
from memory.tools import blocks, context, curation, events, search, usage, values


def register() -> None:
    """Register every tool of memory."""
    registry.register(*curation.TOOLS, *blocks.TOOLS, *values.TOOLS, *usage.TOOLS, *search.TOOLS, *events.TOOLS)
    registry.register(*context.TOOLS)
