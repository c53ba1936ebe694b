"""The coding agents whose hooks call Suture. Each has a module that reads its payloads, imported when it is asked for.

To add one, write `suture_client/hooks/agents/<name>.py` with the two functions of `Adapter`, and add the name to NAMES.
"""

from importlib import import_module
from typing import Any, Protocol, cast

from suture_client.hooks.call import HookCall

DEFAULT = "claude-code"
NAMES = (DEFAULT, "codex", "cursor", "gemini", "opencode")


class Adapter(Protocol):
    """What the module of an agent offers."""

    def read(self, payload: dict[str, Any]) -> HookCall | None:
        """The call that a payload stands for; None for an event that is not captured."""

    def context(self, event: str, text: str) -> str:
        """What the agent expects on standard output to add `text` to the model's context; "" if it takes none then."""


class UnknownAgent(ValueError):  # noqa: N818 (who installed the hook is at fault, not the program)
    """There is no adapter for an agent of this name."""

    def __init__(self, name: str) -> None:
        super().__init__(f"There is no coding agent {name!r}. Use one of: {', '.join(NAMES)}.")


def adapter(name: str) -> Adapter:
    """The adapter of an agent. Raises UnknownAgent."""
    if name not in NAMES:
        raise UnknownAgent(name)
    return cast("Adapter", import_module(f"{__name__}.{name.replace('-', '_')}"))
