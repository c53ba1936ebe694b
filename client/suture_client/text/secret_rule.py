"""One rule of masking. A rule compiles its patterns when a text first has one of its needles."""

from __future__ import annotations

import re
from functools import cached_property

TYPE_CHECKING = False  # the module `typing` takes longer to import than all of this
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

#: The number of characters before a match that `Rule.before` reads.
LOOKED_BACK = 128
#: The names of groups that are the secret.
_SECRETS = ("secret", "double", "single", "back")


class Rule:
    """One form of a secret. The whole match is the secret, or the group `secret` (`double`, `single` and `back` within
    quotes) if the pattern has one."""

    def __init__(
        self,
        kind: str,
        needles: tuple[str, ...],
        pattern: str,
        flags: int = 0,
        *,
        also: tuple[str, ...] = (),
        at_needle: bool = False,
        before: str = "",
        takes_before: bool = False,
        is_before: bool = False,
        each: str = "",
        holds: Callable[[str], bool] | None = None,
        name: Callable[[str], bool] | None = None,
    ) -> None:
        self.kind = kind
        #: Every text with a match contains one of these, in lower case. Searching them is fast.
        self.needles = needles
        #: And one of these, if there are any.
        self.also = also
        #: Whether each match begins with a needle. Then only these places are tried, which is much faster.
        self.at_needle = at_needle
        self._pattern = pattern, flags
        #: Must end directly before the match.
        self._before = before
        #: Whether `before` is part of the secret, or its group `secret` is the secret.
        self.takes_before, self.is_before = takes_before, is_before
        #: Matches each secret within the secret, for example the cookies of a header.
        self._each = each
        #: Further conditions: on the secret, and on the characters before the match, at most LOOKED_BACK.
        self.holds, self.name = holds, name

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The compiled pattern."""
        return re.compile(*self._pattern)

    @cached_property
    def before(self) -> re.Pattern[str] | None:
        """The compiled pattern that must end directly before the match, if any."""
        return re.compile(self._before) if self._before else None

    @cached_property
    def each(self) -> re.Pattern[str] | None:
        """The compiled pattern of each secret within the match, if any."""
        return re.compile(self._each) if self._each else None

    def compile(self) -> None:
        """Compile all patterns now."""
        _ = self.pattern, self.before, self.each

    def may_match(self, lowered: str) -> bool:
        """Return whether `lowered`, a text in lower case, has a needle of this rule."""
        # loops, because any() takes twice the time
        for needle in self.needles:
            if needle in lowered:
                break
        else:
            return False
        return not self.also or any(needle in lowered for needle in self.also)

    def find(self, text: str, lowered: str) -> Iterator[tuple[int, int]]:
        """Yield the positions of the secrets in `text`, in order. `lowered` is the text in lower case."""
        for start, end in self._all(text, lowered):
            if self.holds is None or self.holds(text[start:end]):
                yield start, end

    def _all(self, text: str, lowered: str) -> Iterator[tuple[int, int]]:
        groups: list[str | int] = [group for group in _SECRETS if group in self.pattern.groupindex]
        for match in self._at_needles(text, lowered) if self.at_needle else self.pattern.finditer(text):
            start, end = next(span for span in map(match.span, groups or [0]) if span[0] >= 0)
            first = max(0, match.start() - LOOKED_BACK)
            if self.name is not None and not self.name(text[first : match.start()]):
                continue
            if self.before is not None:
                lead = self.before.search(text[first : match.start()])
                if lead is None:
                    continue
                if self.takes_before:
                    start = match.start() - len(lead[0])
                elif self.is_before:
                    start, end = first + lead.start("secret"), first + lead.end("secret")
            if self.each is None:
                yield start, end
            else:
                yield from (one.span("secret") for one in self.each.finditer(text, start, end))

    def _at_needles(self, text: str, lowered: str) -> Iterator[re.Match[str]]:
        done = 0
        for start in sorted(places(lowered, self.needles)):
            if start >= done and (match := self.pattern.match(text, start)):
                yield match
                done = match.end()


def places(text: str, needles: Iterable[str]) -> Iterator[int]:
    """Yield where `text` has one of the needles."""
    for needle in needles:
        at = text.find(needle)
        while at >= 0:
            yield at
            at = text.find(needle, at + len(needle))
