"""A regular expression matcher that backtracks like Python's, and counts the steps."""

import re
from collections.abc import Callable, Iterator
from itertools import islice

# the modules of `re` that parse; they are not part of its interface
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any, cast

Nodes = list[tuple[Any, Any]]


class TooManySteps(Exception):  # noqa: N818
    """The limit is reached."""


class Counter:
    """Searches for all matches of a pattern, as finditer() does, and counts the steps."""

    def __init__(self, pattern: re.Pattern[str], text: str, limit: int) -> None:
        self.nodes = list(parser.parse(pattern.pattern, pattern.flags))
        self.text = text
        self.limit = limit
        self.steps = 0
        self.groups: dict[int, tuple[int, int]] = {}
        self.one: dict[tuple[int, str], bool] = {}  # single characters are compared by `re` itself
        self.flags = pattern.flags

    def count(self) -> int:
        at = 0
        while at <= len(self.text):
            self.step()
            end = next(self.match(self.nodes, 0, at), None)
            at = at + 1 if end is None or end == at else end
        return self.steps

    def step(self) -> None:
        self.steps += 1
        if self.steps > self.limit:
            raise TooManySteps

    def match(self, nodes: Nodes, index: int, at: int) -> Iterator[int]:
        """The ends of the matches of nodes[index:] at `at`, in the order of backtracking."""
        if index == len(nodes):
            yield at
            return
        for end in self.ends(nodes[index], at):
            yield from self.match(nodes, index + 1, end)

    def ends(self, node: tuple[Any, Any], at: int) -> Iterator[int]:
        self.step()
        code, value = node
        if code in (codes.LITERAL, codes.NOT_LITERAL, codes.IN, codes.ANY):
            if at < len(self.text) and self.is_one(node, self.text[at]):
                yield at + 1
        elif code in (codes.MAX_REPEAT, codes.POSSESSIVE_REPEAT, codes.MIN_REPEAT):
            least, most, body = value
            found = self.repeat(list(body), int(least), int(most), at, lazy=code is codes.MIN_REPEAT)
            yield from islice(found, 1) if code is codes.POSSESSIVE_REPEAT else found
        elif code is codes.SUBPATTERN:
            group, _, _, body = value
            for end in self.match(list(body), 0, at):
                if group is not None:
                    self.groups[group] = (at, end)
                yield end
        elif code is codes.ATOMIC_GROUP:
            yield from islice(self.match(list(value), 0, at), 1)
        elif code is codes.BRANCH:
            for body in value[1]:
                yield from self.match(list(body), 0, at)
        elif code in (codes.ASSERT, codes.ASSERT_NOT):
            direction, body = value
            start = at if direction > 0 else at - body.getwidth()[0]
            holds = start >= 0 and next(self.match(list(body), 0, start), None) is not None
            if holds == (code is codes.ASSERT):
                yield at
        elif code is codes.GROUPREF:
            start, end = self.groups.get(value, (0, 0))
            if self.text.startswith(self.text[start:end], at):
                yield at + end - start
        else:
            assert code is codes.AT, code
            if self.is_at(value, at):
                yield at

    def repeat(self, body: Nodes, least: int, most: int, at: int, *, lazy: bool) -> Iterator[int]:
        """By a stack, not by recursion: a run may have thousands of characters."""
        if len(body) == 1 and body[0][0] in (codes.LITERAL, codes.NOT_LITERAL, codes.IN, codes.ANY):
            end = at
            if lazy:
                while True:
                    if end - at >= least:
                        yield end
                    self.step()
                    if end - at == most or end == len(self.text) or not self.is_one(body[0], self.text[end]):
                        return
                    end += 1
            while end - at < most and end < len(self.text) and self.is_one(body[0], self.text[end]):
                self.step()
                end += 1
            for last in range(end, at + least - 1, -1):
                self.step()
                yield last
            return
        assert not lazy
        stack = [self.match(body, 0, at)]
        reached = [at]
        while stack:
            further = next(stack[-1], None) if len(stack) <= most else None
            if further is not None and further > reached[-1]:
                stack.append(self.match(body, 0, further))
                reached.append(further)
                continue
            stack.pop()
            last = reached.pop()
            if len(stack) >= least:
                yield last

    def is_one(self, node: tuple[Any, Any], character: str) -> bool:
        known = self.one.get((id(node), character))
        if known is None:
            single = parser.SubPattern(parser.State(), [node])
            single.state.flags = self.flags
            known = _compiled(single, self.flags).match(character) is not None
            self.one[id(node), character] = known
        return known

    def is_at(self, where: Any, at: int) -> bool:
        before = at > 0 and bool(re.match(r"\w", self.text[at - 1]))
        after = at < len(self.text) and bool(re.match(r"\w", self.text[at]))
        known: dict[Any, Callable[[], bool]] = {
            codes.AT_BOUNDARY: lambda: before != after,
            codes.AT_END_STRING: lambda: at == len(self.text),
            codes.AT_BEGINNING: lambda: at == 0,
            codes.AT_END: lambda: at == len(self.text),
        }
        return known[where]()


def _compiled(single: Any, flags: int) -> re.Pattern[str]:
    from re import _compiler  # type: ignore[attr-defined]

    return cast("re.Pattern[str]", _compiler.compile(single, flags))


def steps(pattern: re.Pattern[str], text: str, limit: int = 10_000_000) -> int:
    """The steps that `pattern` takes to find all its matches in `text`."""
    return Counter(pattern, text, limit).count()
