"""The registry of tools. Each app registers its own in `AppConfig.ready()`."""

import difflib
import re

from governance.faults import SHOWN_AT_MOST
from governance.refusals import NotFound
from governance.tools.declaration import Tool
from governance.tools.spelling import snake_case

_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")
_tools: dict[str, Tool] = {}


class UnknownTool(NotFound):
    """There is no tool with this name."""


def register(*tools: Tool) -> None:
    """Add tools, in this order. Raises ValueError for a name that is taken or that clients may not accept."""
    for tool in tools:
        if tool.name in _tools or not _NAME.fullmatch(tool.name):
            raise ValueError(f"the name of the tool {tool.name} is taken or malformed")
        _tools[tool.name] = tool


def all_tools() -> list[Tool]:
    """Every tool, in order of registration."""
    return list(_tools.values())


def find(name: str) -> Tool:
    """The tool with this name. Raises UnknownTool."""
    if name not in _tools:
        raise unknown(name)
    return _tools[name]


def unknown(name: str) -> UnknownTool:
    """The refusal of an unknown name: it suggests the nearest tool, and lists all."""
    shown = name[:SHOWN_AT_MOST]
    near = difflib.get_close_matches(snake_case(shown).lower(), _tools, n=1)
    meant = f" Did you mean {near[0]}?" if near else ""
    return UnknownTool(f'There is no tool "{shown}".{meant} The tools are: {", ".join(_tools)}.')
