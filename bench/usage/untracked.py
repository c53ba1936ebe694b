"""The application without noting what was given to whom: what an answer takes by itself."""

from typing import Any

from memory_project.asgi import application as application  # it sets Django up, and is what the web server serves

# isort: split

from memory.usage import deliveries


def _nothing(*_: Any, **__: Any) -> None:
    """In place of `deliver_each`."""


deliveries.deliver_each = _nothing
