"""Which paths of a root are ignored: by the rules that git has (`.gitignore` files and `.git/info/exclude`), and by the
user's own ignore lists."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

from suture_client.filtering import Ignored
from suture_client.watching.files import open_regular
from suture_client.watching.output import Once, shown

GITIGNORE = ".gitignore"
#: Where version control keeps its own files: nothing in them is anybody's notes.
OF_VERSION_CONTROL = frozenset((".git", ".hg", ".svn", ".jj"))
#: Bytes of one file of rules that are read.
_MOST_BYTES = 1_000_000


@dataclass(frozen=True, slots=True)
class _Rule:
    """One line of a file of rules. pathspec's own matching lets a rule for a directory speak of what is in it; git
    does not, and asks of each directory on the way instead, as a scan does."""

    #: Of paths that begin with this, the rule speaks of the rest.
    base: str
    regex: re.Pattern[str]
    is_ignoring: bool
    #: Whether it speaks of the last part of a path only.
    is_of_name: bool

    def matches(self, path: str) -> bool:
        """Whether the rule speaks of this very path; that of a directory ends with /."""
        start = path.rstrip("/").rfind("/") + 1 if self.is_of_name else len(self.base)
        path = path[start:]
        found = self.regex.search(path)
        if found is None:
            return False
        if "ps_d" in self.regex.groupindex:  # the pattern matches up to a directory's / or the end of a file's name
            return found.end() == len(path)
        return self.regex.pattern == "." or found.end() < len(path)  # `**`, or `a/**`: all that is in `a`


@dataclass(frozen=True, slots=True)
class IgnoreRules:
    """The rules for what is in one directory. A later rule wins over an earlier one, and a file of rules over those in
    the directories above it. What is in an ignored directory is ignored, whatever else is said of it: do not look."""

    _lists: Ignored
    #: The most important first.
    _rules: tuple[_Rule, ...] = ()

    @classmethod
    def above(cls, root: Path, once: Once, lists: Ignored) -> "IgnoreRules":
        """The rules of a root's repository that stand above the root, and the user's own lists. `once` takes what is
        wrong with them."""
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

    def inside(self, directory: Path, once: Once) -> "IgnoreRules":
        """With the rules of a directory's own."""
        own = _read(directory / GITIGNORE, directory, once)
        return replace(self, _rules=own + self._rules) if own else self

    def ignore(self, path: str, *, is_directory: bool) -> bool:
        """Whether an absolute path is ignored, if the directory that it is in is not."""
        if path.rpartition("/")[2] in OF_VERSION_CONTROL or self._lists.path(path):
            return True
        path = f"{path}/" if is_directory else path
        return next((rule.is_ignoring for rule in self._rules if rule.matches(path)), False)


def _read(file: Path, base: Path, once: Once) -> tuple[_Rule, ...]:
    """The rules in a file, which speak of what is in `base`, the last first. A line that is no rule is left out, and
    said."""
    rules, wrong = [], []
    for number, line in enumerate(_text(file).splitlines(), 1):
        try:
            # pathspec takes `a/**/` for `a/`; for git it is the directories in it.
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
        once.say(str(file), f"{shown(str(file))}: left out what is not a rule, in line {', '.join(wrong)}.")
    return tuple(rules[::-1])


def _exclude_files(top: Path) -> Iterator[Path]:
    """`info/exclude` of a repository, also where `.git` is a file that says where the repository is."""
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
    """The text of a regular file, empty for anything else. Like git, this follows no symbolic link."""
    try:
        with open(open_regular(file), "rb") as opened:
            return opened.read(_MOST_BYTES).decode("utf-8-sig", errors="surrogateescape")
    except (OSError, ValueError):
        return ""
