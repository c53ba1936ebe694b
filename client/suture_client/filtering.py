"""Filters captures before they are masked and sent: removes `<private>` spans, and drops tool calls that the user's
ignore lists name.

Hooks import this module before each tool call, so it imports as little of the standard library as possible.
"""

from __future__ import annotations

import os
import re
from functools import cache

TYPE_CHECKING = False  # the module `typing` takes longer to import than all of this
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

PATHS_VARIABLE = "SUTURE_IGNORE_PATHS"
TOOLS_VARIABLE = "SUTURE_IGNORE_TOOLS"
#: Fields of a tool's input with commands, in which each word may be a path.
_COMMANDS = frozenset(("cmd", "command", "commands", "input", "patch", "script"))
#: Fields with file contents or search texts, which are not paths.
_CONTENTS = frozenset(("content", "contents", "new_source", "new_string", "new_str", "old_string", "old_str", "text"))
#: The longest text that may be a path.
_MAX_PATH = 4096
#: The most paths of one call whose links are followed, which accesses the file system.
_MAX_LINKS = 200


def without_private(text: str) -> str:
    """Remove the spans `<private>...</private>` from `text`, in any case, with attributes, across lines, also nested. A
    span without an end extends to the end of the text. Call this before shortening, which may cut off the end of a
    span, and before masking."""
    if "<" not in text:
        return text
    kept: list[str] = []
    done = depth = 0
    for tag in _private_tags().finditer(text):
        if tag["close"]:
            if depth == 1:
                done = tag.end()
            depth = max(depth - 1, 0)
        elif not tag["alone"]:
            if depth == 0:
                kept.append(text[done : tag.start()])
            depth += 1
    if depth == 0:
        kept.append(text[done:])
    return "".join(kept)


def all_without_private(value: Any) -> Any:
    """Remove private spans from every string and name in a JSON value. Each string is processed separately."""
    if isinstance(value, str):
        return without_private(value)
    if isinstance(value, list):
        return [all_without_private(item) for item in value]
    if isinstance(value, dict):
        return {without_private(name): all_without_private(item) for name, item in value.items()}
    return value


@cache
def _private_tags() -> re.Pattern[str]:
    # A tag without an end extends to the next tag.
    return re.compile(
        r"(?i)<\s{0,9}(?P<close>/?)\s{0,9}private(?=[\s/<>]|\Z)(?:[^<>/]|/(?!>))*+(?:(?P<alone>/)?>|(?=<)|\Z)"
    )


class Ignored:
    """The user's ignore lists: paths as patterns like in .gitignore, tools as globs such as `mcp__*`.

    A path pattern also covers everything below a match. A slash at its end has no effect. Unlike in .gitignore, a
    pattern matches in every directory unless it starts with `/` (the root of the file system) or `~`, and matching
    ignores case, so hidden files stay hidden wherever the agent works.

    Raises ValueError for an invalid pattern.
    """

    def __init__(self, paths: Iterable[str] = (), tools: Iterable[str] = (), problem: str = "") -> None:
        self._paths = [rule for line in paths for rule in _rules(line)]
        self._tools = [_glob(name.strip(), "") for name in tools if name.strip()]
        #: The error in the lists; "" if there is none. With an error, everything is ignored, because the lists are
        #: unknown.
        self.problem = problem

    def tool(self, name: str) -> bool:
        """Return whether a tool is ignored."""
        return bool(self.problem) or any(rule.fullmatch(name) for rule in self._tools)

    def path(self, path: str, cwd: str = "") -> bool:
        """Return whether a file or directory is ignored, by its path (absolute or relative to `cwd`) or its real
        path."""
        return bool(self.problem) or self._has_path(path, cwd, follow=True)

    def call(self, tool_name: str, tool_input: Any, cwd: str = "") -> bool:
        """Return whether a call is ignored: by its tool, by a path in its input or in a command there, or by `cwd`.
        Calls without a tool come from other hooks, such as prompts."""
        if self.problem:
            return True
        if tool_name and self.tool(tool_name):
            return True
        if not self._paths:
            return False
        if self._has_path(cwd, "", follow=True):
            return True
        paths = dict.fromkeys(_paths_in(tool_input, ""))
        return any(self._has_path(one, cwd, follow=at < _MAX_LINKS) for at, one in enumerate(paths))

    def _has_path(self, path: str, cwd: str, *, follow: bool) -> bool:
        if not self._paths or not path or len(path) > _MAX_PATH or "\0" in path:
            return False
        path = _plain(path, cwd)
        return self._has(path) or (follow and self._has(_slashed(os.path.realpath(path))))

    def _has(self, path: str) -> bool:
        found = False
        for is_ignored, rule in self._paths:
            if is_ignored != found and rule.search(path):
                found = is_ignored
        return found


def ignored(table: Mapping[str, Any], environ: Mapping[str, str] = os.environ) -> Ignored:
    """Read the ignore lists: `[capture] ignore_paths` and `ignore_tools` of the client's configuration, plus the
    patterns in SUTURE_IGNORE_PATHS and SUTURE_IGNORE_TOOLS, separated by commas or newlines."""
    lists: dict[str, list[str]] = {}
    section = table.get("capture", {})
    if not isinstance(section, dict):
        return Ignored(problem="The client's ignore lists cannot be read. Nothing is captured until this is fixed.")
    for kind, variable in (("paths", PATHS_VARIABLE), ("tools", TOOLS_VARIABLE)):
        name = f"ignore_{kind}"
        given = section.get(name, [])
        if not isinstance(given, list) or not all(isinstance(one, str) for one in given):
            wanted = f"[capture] {name} must be a list of strings"
            return Ignored(problem=f"{wanted} in the client's configuration. Nothing is captured until this is fixed.")
        lists[kind] = [*given, *re.split(r"[,\n]", environ.get(variable, ""))]
    try:
        return Ignored(lists["paths"], lists["tools"])
    except ValueError as error:
        return Ignored(problem=f"{error} in the client's ignore lists. Nothing is captured until this is fixed.")


def _rules(line: str) -> Iterator[tuple[bool, re.Pattern[str]]]:
    """Parse a line as in .gitignore: yield whether matches are ignored, and the pattern."""
    line = line.strip()
    if not line or line.startswith("#"):
        return
    is_ignored = not line.startswith("!")
    line = line[not is_ignored :].removeprefix("\\").rstrip("/") or "/"
    line = _slashed(os.path.expanduser(line))
    # An anchored pattern matches from the root, any other from every directory, because a hook may run in any.
    start = r"\A" if re.match(r"/|[a-zA-Z]:/", line) else r"(?:\A|/)"
    yield is_ignored, re.compile(start + _glob(line, "/").pattern + r"(?:/|\Z)", re.IGNORECASE)


def _glob(glob: str, separator: str) -> re.Pattern[str]:
    """Convert a glob to a regular expression: `*` and `?` match anything but `separator`, `**` matches it too."""
    one = f"[^{separator}]" if separator else r"[\s\S]"
    pieces: list[str] = []
    for part in re.findall(r"\A\*\*/|/\*\*/|/\*\*\Z|\*+|\?|\[!?\]?[^\]]*\]|\\[\s\S]|[\s\S]", glob):
        if part == "**/" and separator:
            pieces.append(r"(?:[\s\S]*/)?")
        elif part == "/**/" and separator:
            pieces.append(r"/(?:[\s\S]*/)?")
        elif part == "/**" and separator:
            pieces.append(r"/[\s\S]+")
        elif part[0] == "*":
            pieces.append(f"{one}*")
        elif part == "?":
            pieces.append(one)
        elif part[0] == "[" and len(part) > 2:
            inside = part[1:-1].replace("\\", "\\\\").replace("[", "\\[")
            pieces.append(f"[{'^' + separator + inside[1:] if inside[0] == '!' else inside}]")
        else:
            pieces.append(re.escape(part[-1]))
    try:
        return re.compile("".join(pieces), re.IGNORECASE)
    except re.error as error:
        raise ValueError(f"{glob!r} is not a pattern ({error.msg})") from error


def _paths_in(value: Any, name: str) -> Iterator[str]:
    """Yield possible paths in a tool's input: each string, and each word of a command."""
    if isinstance(value, str):
        if name in _CONTENTS:
            return
        yield value.removeprefix("file://")
        if name in _COMMANDS:
            yield from re.split(r"[\s;|&<>()\"'`=,:]+", value)
    elif isinstance(value, list):
        for item in value:
            yield from _paths_in(item, name)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _paths_in(item, key.lower())


def _plain(path: str, cwd: str) -> str:
    """Make a path absolute (if `cwd` is) and resolve `~`, `.` and `..`, with slashes."""
    return _slashed(os.path.normpath(os.path.join(os.path.expanduser(cwd), os.path.expanduser(path))))


def _slashed(path: str) -> str:
    return path.replace("\\", "/") if os.name == "nt" or re.match(r"[a-zA-Z]:\\|\\\\", path) else path
