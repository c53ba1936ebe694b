"""What memory must say after values were forgotten and replaced: plain lists, which know nothing of the product's."""

import random
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

GONE = "[…]"
#: Words by their normal form, and how a text may write them.
SPELLINGS = {
    "orchid 7": ("orchid-7", "Orchid 7", "ORCHID_7", "orchid\u20117", "\uff4f\uff52\uff43\uff48\uff49\uff44-\uff17"),
    "rose": ("rose", "ROSE", "ro\u200bse"),
    "river": ("river", "River"),
    "o brien": ("O'Brien", "O\u2019Brien", "o'brien"),
    "1200": ("1200", "1,200", "1\u00a0200"),
    "500": ("500",),
    "500.25": ("500.25",),
    "東 京": ("東京",),
    "caf\u00e9": ("caf\u00e9", "cafe\u0301", "CAF\u00c9"),
}
#: What may be forgotten or replaced: words that overlap, and words that others contain.
VALUES = (
    *("orchid 7", "rose", "river", "o brien", "1200", "500", "東 京", "caf\u00e9"),
    *("orchid 7 rose", "rose river", "river orchid 7", "500 1200"),
)
GAPS = (" ", " ", " ", ", ", " - ", "; ")
#: Signs within one number.
_BETWEEN_DIGITS = re.compile(r"(?<=\d)[,'\u2019\u00a0](?=\d{3}(?!\d))")
_WORDS = re.compile(r"\d+(?:\.\d+)+|[\u4e00-\u9fff]|[^\W_\u4e00-\u9fff]+")


def words_of(text: str) -> list[str]:
    """The words of any text in their normal form."""
    plain = _BETWEEN_DIGITS.sub("", text)
    plain = unicodedata.normalize("NFKC", plain.replace("\u200b", "")).casefold()
    return _WORDS.findall(plain)


def says(text: str, value: str) -> bool:
    """Whether a text says the words of a value in a row."""
    return f" {value} " in f" {' '.join(words_of(text))} "


@dataclass(frozen=True)
class Piece:
    """A part of a text: words, or what is between them."""

    written: str
    words: tuple[str, ...] = ()


Text = tuple[Piece, ...]


def written(text: Text) -> str:
    """What a text says, as it is written."""
    return "".join(piece.written for piece in text)


def written_value(value: str, rng: random.Random) -> Text:
    """A value, with each of its parts in a random spelling."""
    pieces: list[Piece] = []
    rest = value
    while rest:
        part = max((one for one in SPELLINGS if f"{rest} ".startswith(f"{one} ")), key=len)
        pieces += [Piece(" ")] if pieces else []
        pieces.append(Piece(rng.choice(SPELLINGS[part]), tuple(part.split())))
        rest = rest[len(part) :].strip()
    return tuple(pieces)


def new_text(marker: str, length: int, rng: random.Random) -> Text:
    """A text of so many random words, with a word that no other text has at a random place (none if it is empty)."""
    parts = [(rng.choice(SPELLINGS[word]), word) for word in rng.choices(list(SPELLINGS), k=length)]
    if marker:
        parts.insert(rng.randrange(length + 1), (marker, marker))
    pieces: list[Piece] = []
    for spelling, word in parts:
        pieces += [Piece(rng.choice(GAPS))] if pieces else []
        pieces.append(Piece(spelling, tuple(word.split())))
    return tuple(pieces)


@dataclass(frozen=True)
class Place:
    """Where a text stands, in the names of a reach."""

    recorder: str
    session_id: str
    channel: str = "private"
    subject_id: str | None = None


@dataclass
class Guard:
    """A value that is kept out since the moment `since`; `to` replaces it."""

    edit_id: str
    value: str
    reach: dict[str, str]
    to: Text | None
    since: int

    def reaches(self, place: Place) -> bool:
        return all(getattr(place, name) == one for name, one in self.reach.items() if name != "subject_type")


@dataclass
class Amended:
    """A text that an edit gave a memory."""

    edit_id: str
    text: Text


@dataclass
class Memory:
    """One record with its texts by the names of their fields. `at` is when it was recorded."""

    kind: str
    id: str
    event_id: str | None
    place: Place
    at: int
    texts: dict[str, Text]
    amends: list[Amended] = field(default_factory=list)
    retracts: list[str] = field(default_factory=list)
    is_quarantined: bool = False
    is_superseded: bool = False


def cut(text: Text, guards: Iterable[Guard]) -> Text:
    """A text without the values of guards, which take effect in the order in which they were applied. What is cut joins
    the words around it, so it looks again."""
    while True:
        words = [(word, number) for number, piece in enumerate(text) for word in piece.words]
        found = []
        for guard in guards:
            value = guard.value.split()
            for start in range(len(words) - len(value) + 1):
                if [word for word, _ in words[start : start + len(value)]] == value:
                    found.append((words[start][1], words[start + len(value) - 1][1], guard))
        if not found:
            return text
        earliest = min((guard for _, _, guard in found), key=lambda guard: guard.since)
        pieces: list[Piece] = []
        reached = -1
        for first, last, guard in found:
            if guard is earliest and first > reached:
                pieces += [*text[reached + 1 : first], *((Piece(GONE),) if guard.to is None else guard.to)]
                reached = last
        text = (*pieces, *text[reached + 1 :])


class Model:
    """Every memory, every guard, and what readers get."""

    def __init__(self) -> None:
        self.memories: list[Memory] = []
        self.guards: dict[str, Guard] = {}
        self.clock = 0

    def tick(self) -> int:
        self.clock += 1
        return self.clock

    def as_recorded(self, text: Text, place: Place) -> Text:
        """A text as it is stored: without what is forgotten."""
        return cut(text, [one for one in self.guards.values() if one.to is None and one.reaches(place)])

    def says_replaced(self, texts: Iterable[Text], place: Place) -> bool:
        """Whether stored texts say what was replaced, so that they are quarantined."""
        replaced = [one for one in self.guards.values() if one.to is not None and one.reaches(place)]
        return any(cut(text, [one]) != text for text in texts for one in replaced)

    def effective(self, memory: Memory, name: str = "text") -> Text:
        """The text of a field as readers get it."""
        text = memory.amends[-1].text if memory.amends else memory.texts[name]
        return self.as_read(text, memory)

    def as_read(self, text: Text, memory: Memory) -> Text:
        return cut(
            text,
            [
                one
                for one in self.guards.values()
                if one.reaches(memory.place) and (one.to is None or memory.at < one.since)
            ],
        )

    def is_shown(self, memory: Memory) -> bool:
        """Whether readers without quarantined memory get it."""
        says_anything = any(piece.words for piece in self.effective(memory))
        is_hidden = memory.retracts or memory.is_quarantined or memory.is_superseded
        return says_anything and not is_hidden

    def texts_of(self, memory: Memory) -> list[str]:
        """All texts of a memory as anyone may read them, hidden or not."""
        own = [self.as_read(text, memory) for text in (*memory.texts.values(), *(one.text for one in memory.amends))]
        return [written(text) for text in own]

    def gone(self) -> list[str]:
        """The values that are kept out and that no memory says."""
        texts = [text for memory in self.memories for text in self.texts_of(memory)]
        kept_out = {one.value for one in self.guards.values()}
        return sorted(one for one in kept_out if not any(says(text, one) for text in texts))

    def said(self, value: str, reach: dict[str, str]) -> bool:
        """Whether any memory that is not hidden says a value within a reach."""
        within = Guard("", value, reach, None, 0)
        return any(
            says(written(self.effective(one, name)), value)
            for one in self.memories
            if within.reaches(one.place) and not one.retracts
            for name in one.texts
        )


def strings_in(answer: object) -> list[str]:
    """Every string and key in a JSON answer."""
    if isinstance(answer, str):
        return [answer]
    if isinstance(answer, dict):
        return [one for pair in answer.items() for part in pair for one in strings_in(part)]
    if isinstance(answer, Sequence):
        return [one for part in answer for one in strings_in(part)]
    return []
