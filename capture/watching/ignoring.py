"""Which paths of a root are ignored: by the rules that git has (`.gitignore` files and `.git/info/exclude`), and by the
user's own ignore lists."""

import os
import re
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

from capture.filtering import Ignored
from capture.watching.telling import Once, shown

GITIGNORE = ".gitignore"
#: Where version control keeps its own files: nothing in them is anybody's notes.
OF_VERSION_CONTROL = frozenset((".git", ".hg", ".svn", ".jj"))
#: Bytes of one file of rules that are read.
_MOST_BYTES = 1_000_000


@dataclass(frozen=True, slots=True)
class _Rule:
    """One line of a file of rules. pathspec's own matching lets a rule for a directory speak of what is in it; git
    does not, and asks of each directory on the way instead, as `IgnoreRules` does."""

    regex: re.Pattern[str]
    is_ignoring: bool
    #: Whether it speaks of the last part of a path only.
    is_of_name: bool

    def matches(self, path: str) -> bool:
        """Whether the rule speaks of this very path; that of a directory ends with /."""
        found = self.regex.search(path)
        if found is None:
            return False
        if "ps_d" in self.regex.groupindex:  # the pattern matches up to a directory's / or the end of a file's name
            return found.end() == len(path)
        return self.regex.pattern == "." or found.end() < len(path)  # `**`, or `a/**`: all that is in `a`


class IgnoreRules:
    """The rules for one root, from files in it, and in the directories above it up to the top of its repository.

    A later rule wins over an earlier one, and a file of rules over those in the directories above it. What is in an
    ignored directory is ignored, whatever else is said of it. Rules are read once: make new ones when a file of them
    has changed (`is_rules_file`).
    """

    def __init__(self, root: Path, once: Once, lists: Ignored | None = None) -> None:
        """`once` takes what is wrong with the rules; `lists` are the user's own."""
        self._root = root
        self._once = once
        self._lists = lists or Ignored()
        self._files_outside: set[Path] = set()
        #: For each directory, the rules that speak of what is in it, the most important first, each with what comes
        #: before a path in the root to make it one that the rules speak of, or the length of what does not belong.
        self._specs: dict[str, tuple[tuple[str, int, list[_Rule]], ...]] = {}
        self._ignored_directories = {"": False}
        above = tuple(self._read_above())
        if any(_says(spec, prefix + "/") for prefix, spec in above):
            once.say(".", f"{shown(str(root))} is ignored in its repository. It is watched, by the rules in it alone.")
            above = ()
        self._above = tuple((f"{prefix}/" if prefix else "", 0, spec) for prefix, spec in above)

    def is_rules_file(self, path: Path) -> bool:
        """Whether the rules depend on this file."""
        return path.name == GITIGNORE or path in self._files_outside

    @property
    def files_outside(self) -> frozenset[Path]:
        """The files of rules above the root and in `.git`, whether they exist or not."""
        return frozenset(self._files_outside)

    def is_ignored(self, relative: str, *, is_directory: bool = False) -> bool:
        """Whether a path in the root (relative to it, with /) is ignored."""
        if is_directory:
            return self._is_ignored_directory(relative)
        directory, _, name = relative.rpartition("/")
        return self._is_ignored_directory(directory) or name in OF_VERSION_CONTROL or self._matches(relative)

    def _is_ignored_directory(self, relative: str) -> bool:
        found = self._ignored_directories.get(relative)
        if found is None:
            parent, _, name = relative.rpartition("/")
            found = self._is_ignored_directory(parent) or name in OF_VERSION_CONTROL or self._matches(f"{relative}/")
            self._ignored_directories[relative] = found
        return found

    def _matches(self, relative: str) -> bool:
        """What the rules say of a path; that of a directory ends with /."""
        if self._lists.path(str(self._root / relative)):
            return True
        for prefix, length, spec in self._specs_in(relative.rstrip("/").rpartition("/")[0]):
            said = _says(spec, prefix + relative[length:])
            if said is not None:
                return said
        return False

    def _specs_in(self, directory: str) -> tuple[tuple[str, int, list[_Rule]], ...]:
        found = self._specs.get(directory)
        if found is None:
            found = self._specs_in(directory.rpartition("/")[0]) if directory else self._above
            if spec := self._read(self._root / directory / GITIGNORE):
                found = (("", len(directory) + 1 if directory else 0, spec), *found)
            self._specs[directory] = found
        return found

    def _read_above(self) -> Iterator[tuple[str, list[_Rule]]]:
        """The rules of the repository that are not below the root, the most important first, each with the root's
        path from where they speak."""
        top = next((path for path in (self._root, *self._root.parents) if (path / ".git").exists()), None)
        if top is None:
            return
        for directory in self._root.parents:
            if directory.is_relative_to(top):
                self._files_outside.add(directory / GITIGNORE)
                if spec := self._read(directory / GITIGNORE):
                    yield self._root.relative_to(directory).as_posix(), spec
        for file in _exclude_files(top):
            self._files_outside.add(file)
            if spec := self._read(file):
                prefix = self._root.relative_to(top).as_posix()
                yield "" if prefix == "." else prefix, spec

    def _read(self, file: Path) -> list[_Rule]:
        """The rules in a file, the last first. A line that is no rule is left out, and said."""
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
                rules.append(_Rule(pattern.regex, is_ignoring=pattern.include, is_of_name=is_of_name))
        if wrong:
            self._once.say(str(file), f"{shown(str(file))}: left out what is not a rule, in line {', '.join(wrong)}.")
        return rules[::-1]


def _says(rules: Iterable[_Rule], path: str) -> bool | None:
    """Whether rules say that a path is ignored, or that it is not; None where they do not speak of it."""
    name = path[path.rstrip("/").rfind("/") + 1 :]
    return next((rule.is_ignoring for rule in rules if rule.matches(name if rule.is_of_name else path)), None)


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
        descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        return ""
    with open(descriptor, "rb") as opened:
        if not stat.S_ISREG(os.fstat(opened.fileno()).st_mode):
            return ""
        try:
            return opened.read(_MOST_BYTES).decode("utf-8-sig", errors="surrogateescape")
        except OSError:
            return ""
