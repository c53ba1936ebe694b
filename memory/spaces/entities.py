"""E11, entity: the named things of a text: people, places, products, dates, amounts."""

import re
from collections.abc import Iterator, Sequence

import numpy as np

from memory.spaces.features import STOP_WORDS, hashed, words
from memory.spaces.protocol import Dense, Item, Kind, Metric, Space

_NAME = re.compile(
    r"(?:\b(?:Dr|Mr|Mrs|Ms|Prof|St)\.\s)?\b[A-Z][\w'\u2019-]*(?:\s+(?:(?:of|the|de|van|von|and|&)\s+)?[A-Z][\w'\u2019-]*)*"
)
_QUOTED = re.compile('["\u201c\u00ab]([^"\u201d\u00bb]{2,60})["\u201d\u00bb]')
_AMOUNT = re.compile(
    r"[$\u20ac\u00a3]\s?\d(?:[\d.,]*\d)?(?:\s?(?:k|m|million|billion)\b)?"
    r"|\b\d(?:[\d.,]*\d)?\s?(?:%|percent\b|dollars\b|euros\b|pounds\b|km\b|miles\b|kg\b)",
    re.I,
)
_SENTENCE_START = re.compile(r"(?:^|[.!?\u2026\n:]\s*[\"\u201c'(\[]*)$")
_TITLE = re.compile(r"^(?:Dr|Mr|Mrs|Ms|Prof|St)\.\s")
#: Words that begin sentences with a capital and name nothing, beside the stop words.
_BEGINNINGS = """
    absolutely actually agreed ah also although always amazing another anyway awesome aww because besides bye cheers
    congrats congratulations cool currently definitely dear does everyone everything exactly finally fix fortunately get
    glad good goodbye great haha hello hey hi hmm hopefully however indeed instead last lately let lets let's maybe
    meanwhile nah next nice nope oh ok okay omg perhaps please plus recently remember right sadly see since someone
    something sorry sounds speaking still sure take thank thanks then though thus today tomorrow tonight totally
    true unfortunately usually wait welcome well wow yep yes yesterday"""
_OPENERS = frozenset(_BEGINNINGS.split())
#: Days and months; without May, which is a verb more often.
_DATES = """
    monday tuesday wednesday thursday friday saturday sunday
    january february march april june july august september october november december"""
_DATE_WORDS = frozenset(_DATES.split())
_NOTHING = "names nothing"
#: Of a name that only begins a sentence, of a part of a name, of another entity.
AT_START, PART, WHOLE = 0.5, 0.7, 1.0


class Entities(Space[Dense]):
    """The named things, hashed: texts are near that name the same, whatever else they say. A name shares its parts with
    a shorter one (Ada Lovelace, Ada). A text that names nothing lies in a direction of its own, far from all names."""

    name = "E11"
    title = "entity"
    kind = Kind.DENSE
    size = 384
    metric = Metric.EUCLIDEAN
    source = "rules for names, dates and amounts (as in MUC-6, Grishman and Sundheim 1996); hashed"

    def embed(self, items: Sequence[Item]) -> list[Dense]:
        return [self._embed(item) for item in items]

    def _embed(self, item: Item) -> Dense:
        found = entities(item.text)
        for name in words(item.speaker or ""):
            found[f"name {name}"] = WHOLE
        return hashed(found or {_NOTHING: WHOLE}, self.size)

    def embed_query(self, query: Item) -> Dense | None:
        found = entities(query.text)
        return hashed(found, self.size) if found else None

    def score(self, query: Dense, items: Sequence[Dense]) -> list[float]:
        if not items:
            return []
        nearness: list[float] = (1 / (1 + np.linalg.norm(np.stack(items) - query, axis=1))).tolist()
        return nearness


def entities(text: str) -> dict[str, float]:
    """The named things in `text`, with their weights."""
    found: dict[str, float] = {}
    for name, weight in _entities(text):
        found[name] = max(found.get(name, 0.0), weight)
    return found


def _entities(text: str) -> Iterator[tuple[str, float]]:
    for match in _NAME.finditer(text):
        named = words(_TITLE.sub("", match[0]))
        is_start = _SENTENCE_START.search(text, 0, match.start()) is not None
        while named and (named[0] in STOP_WORDS or named[0] in _OPENERS):
            named, is_start = named[1:], False
        if not named:
            continue
        certain = WHOLE if not is_start or len(named) > 1 else AT_START
        if len(named) > 1:
            yield f"entity {' '.join(named)}", WHOLE
        for part in named:
            if part not in STOP_WORDS:
                yield f"name {part}", certain if len(named) == 1 else PART
    for quoted in _QUOTED.findall(text):
        yield f"entity {' '.join(words(quoted))}", WHOLE
    for amount in _AMOUNT.findall(text):
        yield f"amount {amount.replace(' ', '').casefold()}", WHOLE
    for word in words(text):
        if word in _DATE_WORDS:
            yield f"name {word}", PART
        elif word.isdigit() and len(word) == 4:
            yield f"year {word}", PART
