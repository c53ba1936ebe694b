"""Words and their setting from a seed: the same sizes make the same memory, on every machine."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from bench.words import Texts

#: Search terms with a known share of the chunks. No other word of the vocabulary looks like them.
TERMS = {"rare": ("quasar", 0.001), "medium": ("lantern", 0.02), "common": ("orchard", 0.25)}
#: The one subject that the subject filter asks for, and how many chunks are about it.
SUBJECT = ("customer", "bench-subject")
SUBJECT_CHUNKS = 500
#: The newest chunk is from this moment, and all others from this long before it.
NEWEST = datetime(2026, 6, 1, tzinfo=UTC)
SPAN = timedelta(days=180)

#: How many words a question has: more than two, so that what stands beside a chunk counts too.
QUESTION_WORDS = 5

#: So many memories have a seed of their own: whichever process makes them, they are the same.
BLOCK = 5_000


@dataclass(frozen=True, slots=True)
class Memory:
    """One message: its words, and what they are about."""

    ts: datetime
    text: str
    subject_type: str | None
    subject_id: str | None
    project_id: str | None
    session_id: str
    channel: str
    sensitivity: str


def subjects_of(chunks: int) -> int:
    """How many subjects there are beside SUBJECT, called subject-0 and so on."""
    return max(10, chunks // 50)


class Corpus:
    """Memories of one tenant, oldest first, in blocks.

    With `copies` they are what `bench.copying` copies, so many times together with the original: 1 of each `copies`
    memories, over the whole span of time, in sessions that no copy shares.
    """

    def __init__(self, seed: int | str, chunks: int, copies: int = 1) -> None:
        self.random = random.Random(seed)
        self.chunks = chunks
        self.blocks = -(-(chunks // copies) // BLOCK)
        self._copies = copies
        self._seed = seed
        self._texts = Texts(seed)
        # at tiny sizes a term still has some chunks
        self._shares = [(term, max(share, 3 / chunks)) for term, share in TERMS.values()]

    def text(self) -> str:
        """The next text (bench/words.py), with each search term in its share of the texts."""
        words = self._texts.next()
        for term, share in self._shares:
            if self.random.random() < share:
                words[self.random.randrange(len(words))] = term
        return " ".join(words)

    def question(self, chance: random.Random) -> str:
        """Some words of the next text that has enough of them."""
        words: list[str] = []
        while len(words) < QUESTION_WORDS:
            words = self.text().split()
        return " ".join(chance.sample(words, QUESTION_WORDS))

    def memories(self) -> Iterator[Memory]:
        """All memories, oldest first."""
        for number in range(self.blocks):
            yield from self.block(number)

    def block(self, number: int) -> Iterator[Memory]:
        """The memories of one block, oldest first; `text()` goes on from its seed."""
        chance = self.random = random.Random(f"{self._seed}:{number}")
        self._texts = Texts(f"{self._seed}:{number}")
        about_one = min(1.0, SUBJECT_CHUNKS / self.chunks)
        subjects, projects = subjects_of(self.chunks), 50
        recorded, sessions = (n // self._copies for n in (self.chunks, max(10, self.chunks // 40)))
        step = SPAN / recorded
        for place in range(number * BLOCK, min((number + 1) * BLOCK, recorded)):
            ts = NEWEST - SPAN + step * (place + 1)
            subject: tuple[str, str] | tuple[None, None] = (None, None)
            if chance.random() < about_one:
                subject = SUBJECT
            elif chance.random() < 0.7:
                subject = ("customer", f"subject-{chance.randrange(subjects)}")
            project = f"project-{chance.randrange(projects)}" if chance.random() < 0.5 else None
            yield Memory(
                ts=ts,
                text=self.text(),
                subject_type=subject[0],
                subject_id=subject[1],
                project_id=project,
                session_id=f"session-{chance.randrange(sessions) * self._copies}",
                channel=chance.choices(("private", "team", "public", "agent"), (70, 15, 10, 5))[0],
                sensitivity=chance.choices(("none", "low", "high", "secret"), (92, 5, 2, 1))[0],
            )
