"""Generated text that is as long, and repeats its words as often, as text that people write. No corpus is vendored.

What it follows, and where that is from:

- How often a word stands: its share falls with its rank as 1 / (rank + 2.7), which is Zipf's law in Mandelbrot's form
  with the constants that fit English (S. T. Piantadosi, Zipf's word frequency law in natural language, 2014), and from
  rank 8,000 on with the square of the rank (R. Ferrer i Cancho and R. V. Solé, Two regimes in the frequency of words
  and the origins of complex lexicons, 2001). The most common ranks are real English function words, of which most are
  stop words: they take room in a text and none in an index.
- How long a text is: log-normal, as posts to discussions are (P. Sobkowicz et al., Lognormal distributions of user post
  lengths in Internet discussions, 2013). The parameters are ours: a median of 30 words and a deviation of 0.9 make a
  mean of 45 words, one text in twenty longer than 130, and most lengths between 6 and 190, the most that one chunk has
  (memory/chunker.py).
- How long a word is: common words are shorter (Zipf's law of abbreviation): one syllable up to rank 150, two up to
  rank 3,000, three up to rank 30,000. In the mean of a text, a word has 4.5 letters.

There is no punctuation, and no word depends on the one before it.
"""

import math
import random
from collections.abc import Iterator
from functools import cache
from itertools import islice

import numpy

VOCABULARY = 60_000
SHIFT, SECOND_REGIME = 2.7, 8_000
MEDIAN_WORDS, DEVIATION = 30, 0.9
LEAST_WORDS, MOST_WORDS = 4, 190

#: By their rank in written English.
FUNCTION_WORDS = (
    "the of and to a in is that it was for on with he as i his at be this by from have or had not are but they which"
    " you one were all we her she there would their will when who him been has more if no out so what up said its"
    " about than into them can only other time new some could these two may first then do any like my now over such"
    " our man me even most made after also did many off before must well back through years much where your way down"
)
#: Up to which rank words have so many syllables; those beyond have four.
_SYLLABLES = {1: 150, 2: 3_000, 3: 30_000}
_CONSONANTS, _VOWELS = "bdfgklmnprtvz", "aiou"
_AT_ONCE = 512


class Texts:
    """Texts from a seed: the same on every machine."""

    def __init__(self, seed: int | str) -> None:
        # a string seeds `random` by its hash with SHA-512, and that seeds numpy's generator
        self._chance = numpy.random.default_rng(random.Random(seed).getrandbits(64))
        self._made: Iterator[list[str]] = iter(())

    def next(self) -> list[str]:
        """The words of the next text."""
        for words in self._made:
            return words
        self._made = self._some()
        return next(self._made)

    def _some(self) -> Iterator[list[str]]:
        """Some texts at once, which is ten times as fast as one by one."""
        drawn = self._chance.lognormal(math.log(MEDIAN_WORDS), DEVIATION, _AT_ONCE)
        lengths = numpy.clip(drawn.round(), LEAST_WORDS, MOST_WORDS).astype(int).tolist()
        ranks = numpy.searchsorted(_shares(), self._chance.random(sum(lengths)), side="right")
        words = map(vocabulary().__getitem__, ranks.tolist())
        return (list(islice(words, length)) for length in lengths)


@cache
def vocabulary() -> list[str]:
    """All words by rank. Those that are made end in -k, -m, -b or -p, as the English stemmer leaves them."""
    chance = random.Random(1)
    words = dict.fromkeys(FUNCTION_WORDS.split())
    while len(words) < VOCABULARY:
        rank = len(words)
        syllables = next((number for number, most in _SYLLABLES.items() if rank < most), 4)
        stem = "".join(chance.choice(_CONSONANTS) + chance.choice(_VOWELS) for _ in range(syllables))
        words[stem + chance.choice("kmbp")] = None
    return list(words)


@cache
def _shares() -> "numpy.typing.NDArray[numpy.float64]":
    """For each rank, the share of the words of a text that have it or a higher one."""
    ranks = numpy.arange(1, VOCABULARY + 1, dtype=float)
    weights = 1 / (ranks + SHIFT)
    weights[SECOND_REGIME:] *= (SECOND_REGIME + SHIFT) / (ranks[SECOND_REGIME:] + SHIFT)
    cumulative: numpy.typing.NDArray[numpy.float64] = numpy.cumsum(weights) / weights.sum()
    cumulative[-1] = 1.0  # not a rounding below
    return cumulative
