"""Generated memory with text lengths and word frequencies like those of human text. The same seed creates the same
memory on every machine. No corpus is vendored.

- The share of a word falls with its rank as 1 / (rank + 2.7), which is Zipf's law in Mandelbrot's form with the
  constants that fit English (S. T. Piantadosi, 2014), and from rank 8,000 on with the square of the rank (R. Ferrer i
  Cancho and R. V. Solé, 2001). The most common ranks are English function words, most of which are stop words.
- The length of a text is log-normal, as that of posts to discussions is (P. Sobkowicz et al., 2013): a median of 30
  words, a mean of 45, and at most 190, the maximum of a chunk (client/suture_client/text/chunker.py).
- Common words are shorter: one syllable up to rank 150, two up to rank 3,000, three up to rank 30,000.
"""

import math
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import accumulate
from typing import Any

#: Search terms with a known share of the texts. No other word of the vocabulary looks like them.
TERMS = {"rare": ("quasar", 0.001), "medium": ("lantern", 0.02), "common": ("orchard", 0.25)}
#: The subject that is queried, and its number of chunks.
SUBJECT = ("customer", "bench-subject")
SUBJECT_CHUNKS = 500
#: The time of the newest event, and the time span of all events before it.
NEWEST, SPAN = datetime(2026, 6, 1, tzinfo=UTC), timedelta(days=180)
VOCABULARY, SHIFT, SECOND_REGIME = 60_000, 2.7, 8_000
MEDIAN_WORDS, DEVIATION = 30, 0.9
MIN_WORDS, MAX_WORDS = 4, 190
#: Words of a question: more than two, so that the context of a chunk counts too.
QUESTION_WORDS = 5
#: By their rank in written English.
FUNCTION_WORDS = (
    "the of and to a in is that it was for on with he as i his at be this by from have or had not are but they which"
    " you one were all we her she there would their will when who him been has more if no out so what up said its"
    " about than into them can only other time new some could these two may first then do any like my now over such"
    " our man me even most made after also did many off before must well back through years much where your way down"
)
#: The maximum rank of words with this many syllables; words beyond have four.
_SYLLABLES = {1: 150, 2: 3_000, 3: 30_000}


class Corpus:
    """Texts, questions and events of a tenant with this many chunks."""

    def __init__(self, seed: int | str, chunks: int = 1_000_000) -> None:
        self.random = random.Random(seed)
        self.chunks = chunks
        # with few chunks, each term still occurs in some
        self._shares = [(term, max(share, 3 / chunks)) for term, share in TERMS.values()]

    def text(self) -> str:
        """The next text; each search term occurs in its share of the texts."""
        length = round(self.random.lognormvariate(math.log(MEDIAN_WORDS), DEVIATION))
        words = self.random.choices(vocabulary(), cum_weights=_shares(), k=min(max(length, MIN_WORDS), MAX_WORDS))
        for term, share in self._shares:
            if self.random.random() < share:
                words[self.random.randrange(len(words))] = term
        return " ".join(words)

    def question(self) -> str:
        """Some words of the next text that is long enough."""
        words: list[str] = []
        while len(words) < QUESTION_WORDS:
            words = self.text().split()
        return " ".join(self.random.sample(words, QUESTION_WORDS))

    def event(self, ts: datetime | None = None) -> dict[str, Any]:
        """The body of the next event, a message of one chunk; without a time, it happens now."""
        chance = self.random
        about: dict[str, Any] = {"ts": ts.isoformat()} if ts else {}
        if chance.random() < SUBJECT_CHUNKS / self.chunks:
            about |= zip(("subject_type", "subject_id"), SUBJECT, strict=True)
        elif chance.random() < 0.7:
            about |= {"subject_type": SUBJECT[0], "subject_id": self.subject()}
        if chance.random() < 0.5:
            about["project_id"] = f"project-{chance.randrange(50)}"
        return {
            "session_id": f"session-{chance.randrange(max(10, self.chunks // 40))}",
            "channel": chance.choices(("private", "team", "public", "agent"), (70, 15, 10, 5))[0],
            "sensitivity": chance.choices(("none", "low", "high", "secret"), (92, 5, 2, 1))[0],
            "actor_type": "agent",
            "actor_id": "bench-agent",
            "kind": "message",
            "content": {"text": self.text()},
            **about,
        }

    def subject(self) -> str:
        """One of the subjects other than SUBJECT."""
        return f"subject-{self.random.randrange(max(10, self.chunks // 50))}"

    def history(self) -> Iterator[dict[str, Any]]:
        """All events of the tenant, oldest first."""
        for number in range(self.chunks):
            yield self.event(NEWEST - SPAN + SPAN / self.chunks * (number + 1))


@cache
def vocabulary() -> list[str]:
    """All words by rank. Generated ones end in -k, -m, -b or -p, so that the English stemmer does not change them."""
    chance = random.Random(1)
    words = dict.fromkeys(FUNCTION_WORDS.split())
    while len(words) < VOCABULARY:
        rank = len(words)
        syllables = next((number for number, most in _SYLLABLES.items() if rank < most), 4)
        stem = "".join(chance.choice("bdfgklmnprtvz") + chance.choice("aiou") for _ in range(syllables))
        words[stem + chance.choice("kmbp")] = None
    return list(words)


@cache
def _shares() -> list[float]:
    """The cumulative weights of the ranks."""
    weights = (
        1 / (rank + SHIFT) * min(1.0, (SECOND_REGIME + SHIFT) / (rank + SHIFT)) for rank in range(1, VOCABULARY + 1)
    )
    return list(accumulate(weights))
