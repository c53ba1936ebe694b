"""The supported coding agents. Each has a module that reads its payloads, imported on demand.

To add one, write `suture_client/hooks/agents/<name>.py` with the two functions of `Adapter`, and add the name to NAMES.
"""

from importlib import import_module
from typing import Any, Protocol, cast

from suture_client.hooks.hook_call import HookCall

DEFAULT = "claude-code"
NAMES = (DEFAULT, "codex", "cursor", "gemini", "opencode")


class Adapter(Protocol):
    """The interface of an agent's module."""

    def read(self, payload: dict[str, Any]) -> HookCall | None:
        """Convert a payload into a call; None for an event that is not captured."""

    def context(self, event: str, text: str) -> str:
        """Return the output with which the agent adds `text` to the model's context; "" if it accepts none."""


class UnknownAgent(ValueError):  # noqa: N818 (a wrong configuration, not a bug)
    """No adapter exists for an agent of this name."""

    def __init__(self, name: str) -> None:
        super().__init__(f"Unknown coding agent {name!r}. Use one of: {', '.join(NAMES)}.")


def adapter(name: str) -> Adapter:
    """Return the adapter of an agent. Raises UnknownAgent."""
    if name not in NAMES:
        raise UnknownAgent(name)
    return cast("Adapter", import_module(f"{__name__}.{name.replace('-', '_')}"))
