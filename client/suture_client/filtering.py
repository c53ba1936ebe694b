"""What the client leaves out before it masks and sends: `<private>` spans, and the calls of tools that the user's
ignore lists name.

Hooks import this module before each tool call of an agent, so it imports the standard library only, and little of that.
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
#: Fields of a tool's input that hold commands, in which each word may be a path.
_COMMANDS = frozenset(("cmd", "command", "commands", "input", "patch", "script"))
#: Fields that hold what is written to a file or looked for in one, and no path.
_CONTENTS = frozenset(("content", "contents", "new_source", "new_string", "new_str", "old_string", "old_str", "text"))
#: The longest text that is taken for a path.
_LONGEST_PATH = 4096
#: In how many paths of one call links are followed, which asks the file system.
_MOST_LINKS = 200


def without_private(text: str) -> str:
    """`text` without its spans `<private>...</private>`: in capitals or not, with attributes, over lines, one in
    another. A span that does not end takes the rest of the text. Call it before a text is shortened, or the end of a
    span may be missing, and before it is masked."""
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
    """The same for every string and name within a JSON value. Each string is looked at by itself."""
    if isinstance(value, str):
        return without_private(value)
    if isinstance(value, list):
        return [all_without_private(item) for item in value]
    if isinstance(value, dict):
        return {without_private(name): all_without_private(item) for name, item in value.items()}
    return value


@cache
def _private_tags() -> re.Pattern[str]:
    # A tag that does not end reaches to the next tag.
    return re.compile(
        r"(?i)<\s{0,9}(?P<close>/?)\s{0,9}private(?=[\s/<>]|\Z)(?:[^<>/]|/(?!>))*+(?:(?P<alone>/)?>|(?=<)|\Z)"
    )


class Ignored:
    """What a user wants left out: paths by patterns such as those of .gitignore, tools by globs such as `mcp__*`.

    A pattern of a path holds for whatever is below what it matches. A slash at its end says nothing. Unlike in
    .gitignore, a pattern matches in every directory unless it begins with `/` (the root of the file system) or `~`,
    and capitals are not told from small letters: what a user hides stays hidden wherever the agent works.

    Raises ValueError for what is no pattern.
    """

    def __init__(self, paths: Iterable[str] = (), tools: Iterable[str] = (), problem: str = "") -> None:
        self._paths = [rule for line in paths for rule in _rules(line)]
        self._tools = [_glob(name.strip(), "") for name in tools if name.strip()]
        #: What is wrong with the lists; "" if nothing is. If something is, everything is left out: what the user
        #: wanted to hide is not known.
        self.problem = problem

    def tool(self, name: str) -> bool:
        """Whether the tool of this name is left out."""
        return bool(self.problem) or any(rule.fullmatch(name) for rule in self._tools)

    def path(self, path: str, cwd: str = "") -> bool:
        """Whether a file or directory is left out, by its path, absolute or from `cwd`, or by where its links lead."""
        return bool(self.problem) or self._has_path(path, cwd, follow=True)

    def call(self, tool_name: str, tool_input: Any, cwd: str = "") -> bool:
        """Whether a call is left out: by its tool, by a path in its input or in a command there, or because `cwd` is
        left out. With no tool, it is the call of another hook, such as a prompt."""
        if self.problem:
            return True
        if tool_name and self.tool(tool_name):
            return True
        if not self._paths:
            return False
        if self._has_path(cwd, "", follow=True):
            return True
        paths = dict.fromkeys(_paths_in(tool_input, ""))
        return any(self._has_path(one, cwd, follow=at < _MOST_LINKS) for at, one in enumerate(paths))

    def _has_path(self, path: str, cwd: str, *, follow: bool) -> bool:
        if not self._paths or not path or len(path) > _LONGEST_PATH or "\0" in path:
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
    """What the client's configuration leaves out: `[capture] ignore_paths` and `ignore_tools`, lists of patterns, and
    the patterns of SUTURE_IGNORE_PATHS and SUTURE_IGNORE_TOOLS, with commas or new lines between them. They add up."""
    lists: dict[str, list[str]] = {}
    section = table.get("capture", {})
    if not isinstance(section, dict):
        return Ignored(problem="The client's ignore lists cannot be read. Nothing is captured until they can be.")
    for kind, variable in (("paths", PATHS_VARIABLE), ("tools", TOOLS_VARIABLE)):
        name = f"ignore_{kind}"
        given = section.get(name, [])
        if not isinstance(given, list) or not all(isinstance(one, str) for one in given):
            wanted = f"[capture] {name} must be a list of texts"
            return Ignored(problem=f"{wanted} in the client's configuration. Nothing is captured until it is one.")
        lists[kind] = [*given, *re.split(r"[,\n]", environ.get(variable, ""))]
    try:
        return Ignored(lists["paths"], lists["tools"])
    except ValueError as error:
        return Ignored(problem=f"{error} in the client's ignore lists. Nothing is captured until it is one.")


def _rules(line: str) -> Iterator[tuple[bool, re.Pattern[str]]]:
    """Whether what matches is left out, and the pattern, of one line as in .gitignore."""
    line = line.strip()
    if not line or line.startswith("#"):
        return
    is_ignored = not line.startswith("!")
    line = line[not is_ignored :].removeprefix("\\").rstrip("/") or "/"
    line = _slashed(os.path.expanduser(line))
    # From the root where the pattern says so, else from any directory: nobody knows which one a hook is called in.
    start = r"\A" if re.match(r"/|[a-zA-Z]:/", line) else r"(?:\A|/)"
    yield is_ignored, re.compile(start + _glob(line, "/").pattern + r"(?:/|\Z)", re.IGNORECASE)


def _glob(glob: str, separator: str) -> re.Pattern[str]:
    """A glob as a regular expression: `*` and `?` match anything but `separator`, `**` matches that too."""
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
    """What may be a path in a tool's input: each text, and each word of a command."""
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
    """An absolute path without `~`, `.` and `..`, as far as `cwd` is one, with slashes."""
    return _slashed(os.path.normpath(os.path.join(os.path.expanduser(cwd), os.path.expanduser(path))))


def _slashed(path: str) -> str:
    return path.replace("\\", "/") if os.name == "nt" or re.match(r"[a-zA-Z]:\\|\\\\", path) else path
