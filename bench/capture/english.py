"""English texts. A model of language reads most of their words as one token, and the words of `Corpus` as several."""

import random

_TEXT = (
    "the of and to in a is that for it was on are as with they be at one have this from by but what some we can out"
    " other were all there when up use your how said an each which do their time if will way about many then them"
    " write would like so these long make see two has look more could come did number no most my over know than call"
    " first who may down been now find test file run server request function error table change build release branch"
    " review user key page list value answer line code"
)
_WORDS = _TEXT.split()


def english(chance: random.Random) -> str:
    """40 to 60 words in sentences, as an agent says what it does."""
    words = chance.choices(_WORDS, k=chance.randint(40, 60))
    return " ".join(" ".join(words[first : first + 12]).capitalize() + "." for first in range(0, len(words), 12))
