"""Ignored paths of a root, by git's rules (`.gitignore` files and `.git/info/exclude`) and the user's ignore lists."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

from suture_client.filtering import Ignored
from suture_client.watching.files import open_regular
from suture_client.watching.output import OnceLogger, shown

GITIGNORE = ".gitignore"
#: Internal directories of version control, which contain no notes.
VERSION_CONTROL_DIRECTORIES = frozenset((".git", ".hg", ".svn", ".jj"))
#: The most bytes that are read of one file of rules.
_MAX_BYTES = 1_000_000


@dataclass(frozen=True, slots=True)
class _Rule:
    """One line of a file of rules. In pathspec's own matching, a rule for a directory also matches its content. In git
    it does not: git checks each directory on the way instead, as a scan does."""

    #: The directory to which the rule's paths are relative.
    base: str
    regex: re.Pattern[str]
    is_ignoring: bool
    #: Whether it applies only to the last part of a path.
    is_of_name: bool

    def matches(self, path: str) -> bool:
        """Return whether the rule matches this exact path. The path of a directory ends with /."""
        start = path.rstrip("/").rfind("/") + 1 if self.is_of_name else len(self.base)
        path = path[start:]
        found = self.regex.search(path)
        if found is None:
            return False
        if "ps_d" in self.regex.groupindex:  # the pattern matches up to a directory's / or the end of a file's name
            return found.end() == len(path)
        return self.regex.pattern == "." or found.end() < len(path)  # `**`, or `a/**`: everything in `a`


@dataclass(frozen=True, slots=True)
class IgnoreRules:
    """The rules for the content of one directory. Later rules override earlier ones, and a file of rules overrides
    those in the directories above it. Everything in an ignored directory is ignored: do not scan it."""

    _lists: Ignored
    #: The most important first.
    _rules: tuple[_Rule, ...] = ()

    @classmethod
    def above(cls, root: Path, once: OnceLogger, lists: Ignored) -> "IgnoreRules":
        """Return the rules of a root's repository from above the root, and the user's lists. `once` logs errors in
        them."""
        found = cls(lists)
        top = next((path for path in (root, *root.parents) if (path / ".git").exists()), None)
        if top is None:
            return found
        for file in _exclude_files(top):
            found = replace(found, _rules=_read(file, top, once))
        for directory in reversed(root.parents):
            if directory.is_relative_to(top):
                found = found.inside(directory, once)
        return found

    def inside(self, directory: Path, once: OnceLogger) -> "IgnoreRules":
        """Return the rules for a subdirectory, including its own."""
        own = _read(directory / GITIGNORE, directory, once)
        return replace(self, _rules=own + self._rules) if own else self

    def ignore(self, path: str, *, is_directory: bool) -> bool:
        """Return whether an absolute path is ignored, given that its directory is not."""
        if path.rpartition("/")[2] in VERSION_CONTROL_DIRECTORIES or self._lists.path(path):
            return True
        path = f"{path}/" if is_directory else path
        return next((rule.is_ignoring for rule in self._rules if rule.matches(path)), False)


def _read(file: Path, base: Path, once: OnceLogger) -> tuple[_Rule, ...]:
    """Read the rules in a file, which are relative to `base`, last one first. Invalid lines are skipped and logged."""
    rules, wrong = [], []
    for number, line in enumerate(_text(file).splitlines(), 1):
        try:
            # pathspec reads `a/**/` as `a/`; in git it matches the directories in `a`.
            pattern = GitIgnoreSpecPattern(re.sub(r"/\*\*/(?=\s*\Z)", "/**/*/", line))
        except ValueError:
            wrong.append(str(number))
            continue
        if pattern.regex is not None and pattern.include is not None:
            is_of_name = "/" not in line.rstrip().rstrip("/")
            rules.append(
                _Rule(os.path.join(base, ""), pattern.regex, is_ignoring=pattern.include, is_of_name=is_of_name)
            )
    if wrong:
        once.say(str(file), f"{shown(str(file))}: skipped invalid rules in line {', '.join(wrong)}.")
    return tuple(rules[::-1])


def _exclude_files(top: Path) -> Iterator[Path]:
    """Return the path of a repository's `info/exclude`, even if `.git` is a file that points to the repository."""
    place = top / ".git"
    if place.is_file():
        word, _, where = _text(place).strip().partition(": ")
        if word != "gitdir":
            return
        place = top / where
        if common := _text(place / "commondir").strip():
            place = place / common
    yield Path(os.path.normpath(place / "info" / "exclude"))


def _text(file: Path) -> str:
    """Read the text of a regular file; "" for anything else. Like git, follow no symbolic link."""
    try:
        with open(open_regular(file), "rb") as opened:
            return opened.read(_MAX_BYTES).decode("utf-8-sig", errors="surrogateescape")
    except (OSError, ValueError):
        return ""
