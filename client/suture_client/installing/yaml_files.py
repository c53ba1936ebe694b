"""Changes one entry of a YAML file. The rest of the text stays as it is, comments included, which a library that writes
whole files would move."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import yaml

from suture_client.errors import Failed

_INDENT = 2


@contextmanager
def _parse_errors() -> Iterator[None]:
    """Convert parse errors to Failed, with line and column."""
    try:
        yield
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        raise Failed(f"{place}{error.problem or error.context}") from None
    except (yaml.YAMLError, RecursionError) as error:
        raise Failed(str(error)) from None


def read(text: str) -> dict[str, Any]:
    """Parse the text of a YAML file as a mapping; {} for an empty text. Raises Failed."""
    with _parse_errors():
        found = yaml.safe_load(text)
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise Failed("line 1, column 1: the file must be a mapping")
    return found


def put(text: str, section: str, name: str, value: Mapping[str, Any]) -> str:
    """Return the text with `value` under `name` in a section, in the place of what was there. Raises Failed."""
    with _parse_errors():
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    if text and not text.endswith("\n"):
        text += "\n"
    lines = text.splitlines(keepends=True)
    key, servers = _find(root, section)
    if key is None:
        return "".join([*lines, f"{section}:\n", *_written(name, value, _INDENT)])
    if isinstance(servers, yaml.MappingNode) and not servers.flow_style:
        indent = servers.start_mark.column
        old_key, old = _find(servers, name)
        if old_key is not None:
            start, end = old_key.start_mark.line, _last_line(old) + 1
            return "".join([*lines[:start], *_written(name, value, indent), *lines[end:]])
        at = key.start_mark.line + 1
    elif servers.value in ("", "null", "~", []):
        text = text[: servers.start_mark.index] + text[servers.end_mark.index :]  # an empty value
        lines = text.splitlines(keepends=True)
        at, indent = key.start_mark.line + 1, key.start_mark.column + _INDENT
    else:
        raise Failed(f"{section} must be a mapping with an entry on each line")
    return "".join([*lines[:at], *_written(name, value, indent), *lines[at:]])


def _find(node: Any, name: str) -> tuple[Any, Any]:
    """The nodes of a key and its value in a mapping; None if it does not have the key."""
    pairs = node.value if isinstance(node, yaml.MappingNode) else []
    return next(((key, value) for key, value in pairs if key.value == name), (None, None))


def _last_line(node: Any) -> int:
    """The number of a node's last line. The mark of a block is behind the comments that follow it."""
    if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        return _last_line(last[1] if isinstance(last, tuple) else last)
    mark = node.end_mark
    line: int = mark.line
    return line - 1 if mark.column == 0 and line > node.start_mark.line else line


def _written(name: str, value: Mapping[str, Any], indent: int) -> Iterator[str]:
    text = yaml.safe_dump({name: dict(value)}, sort_keys=False, allow_unicode=True, width=float("inf"))
    return (" " * indent + line for line in text.splitlines(keepends=True))
