"""E7, code: identifiers and code, however they are written."""

import re
from collections.abc import Sequence

from memory.spaces.features import STOP_WORDS, hashed
from memory.spaces.protocol import Dense, DenseSpace, Item

_TOKEN = re.compile(r"[^\W\d]\w*|\d+(?:\.\d+)*|[-+*/%&|^~<>=!:?@.]{1,3}|[^\w\s]")
_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_A-Za-z]+")
_IDENTIFIER_SHAPE = re.compile(r"[a-z0-9][A-Z]|_|^[A-Z]{2,}$")
_OPERATOR = re.compile(r"^[-+*/%&|^~<>=!:?@]{1,3}$")

#: What each kind of feature counts.
PART_OF_IDENTIFIER, WHOLE_IDENTIFIER, WORD, OPERATOR, PAIR, TRIPLE = 1.0, 1.0, 0.5, 0.5, 0.5, 0.35


class SourceCode(DenseSpace):
    """Identifiers split where their writing joins words (`getUserName`, `get_user_name` and `get-user-name` share all
    parts), operators, and runs of two and three tokens. Words of prose count as plain identifiers."""

    name = "E7"
    title = "code"
    size = 1536
    source = "hashed subtokens and token n-grams (Allamanis et al. 2018, section 4)"

    def embed(self, items: Sequence[Item]) -> list[Dense]:
        return [hashed(features(item.text), self.size) for item in items]

    def embed_query(self, query: Item) -> Dense | None:
        found = {name: weight for name, weight in features(query.text).items() if name != _EMPTY}
        return hashed(found, self.size) if found else None


_EMPTY = "nothing written"


def features(text: str) -> dict[str, float]:
    """The weighted features of `text`; never none."""
    found: dict[str, float] = {}

    def add(name: str, weight: float) -> None:
        found[name] = max(found.get(name, 0.0), weight)

    tokens = _TOKEN.findall(text)
    normal: list[str] = []
    for token in tokens:
        split = parts(token)
        if not split:
            if _OPERATOR.match(token):
                add(f"operator {token}", OPERATOR)
            normal.append(token)
            continue
        joined = "_".join(split)
        normal.append(joined)
        if len(split) == 1 and split[0] in STOP_WORDS:
            continue
        is_identifier = _IDENTIFIER_SHAPE.search(token) is not None
        if is_identifier:
            add(f"identifier {joined}", WHOLE_IDENTIFIER)
        for part in split:
            add(f"part {part}", PART_OF_IDENTIFIER if is_identifier else WORD)
    for size, weight in ((2, PAIR), (3, TRIPLE)):
        for start in range(len(normal) - size + 1):
            add(f"run {' '.join(normal[start : start + size])}", weight)
    return found or {_EMPTY: 1.0}


def parts(token: str) -> list[str]:
    """The words that an identifier joins, in lower case: `parseHTTPRequest` has parse, http and request."""
    return [part.casefold() for part in _PART.findall(token)]
