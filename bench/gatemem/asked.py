"""The values that a turn asks to forget, by rules about its words: quoted phrases, codes and numbers, capitalised
phrases, and the words after a noun such as "location"."""

import re
from collections.abc import Iterator

#: Maximum number of values of one turn.
MOST = 12

_ASKS = re.compile(
    r"(?i)\b(?:delet(?:e|ed|ion)|removed?|forget|erase|purge|wipe|scrub|discard|clear(?:ed)?|retired?)\b"
)
_VERB = re.compile(
    r"(?i)\b(?:deleted?|deleting|removed?|forget|erase|purge|wipe|scrub|discard|retired?|drop|clear|revoke|invalidate)\b"
)
#: From here on, a sentence speaks of what stays.
_STAYS = re.compile(
    r"(?i)[.;]\s|\b(?:keep|keeping|only|instead|replace|replaced by|because|while|but|now that|moves? to|switch|and use"
    r"|(?:the )?current|the active|is active|remains?|do not|don't|should|superseded by|in favou?r of)\b"
)
_IS_CURRENT = re.compile(r"(?i)\b(?:current|active|replaces|remains?|may still)\b")
_BEGINS_WITH_WHAT_STAYS = re.compile(r"(?i)^\W*(?:broad|keep|current|only)\b")
_PAST = re.compile(r"(?i)\b(?:deleted|cleared|removed|retired|erased|purged)\b")
_IS_GONE = re.compile(
    r"(?i)\b(?:should be treated as|treated as|should not be|must not be|unavailable"
    r"|not (?:be )?(?:recoverable|retained|restated|stored))\b"
)
_NOT_RETAINED = re.compile(r"(?i)do not retain")
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|[.;]\s")

_QUOTED = re.compile(
    r"[\u201c\"]([^\"\u201d]{2,120})[\u201d\"]|(?:(?<=\s)|^)[\u2018']([^'\u2019]{2,120})['\u2019](?!\w)"
)
_DATE = re.compile(
    r"\b(?:January|February|March|April|May|June|July|August|September|October|November|December)\s+\d{1,2}(?:,\s*\d{4})?"
)
_THINGS = "location|point|spot|route|phrase|label|wording|cue|passphrase"
_RULES = (
    re.compile(r"(?i)\b(?:ext\.?|extension|room|desk|suite|locker|unit|gate|bay)\s+\d+\w*"),
    re.compile(r"(?i)\bexact\s+((?:[a-z][\w'-]*\s+){1,4}[a-z][\w'-]*)(?=[.,;]|\s+from\b|$)"),
    re.compile(rf"(?i)\b(?:{_THINGS}|layer)\s+((?:[\w'-]+\s+){{1,9}}?[\w'-]+)(?=[.,;]|\s+from\b|$)"),
    re.compile(r"\b[A-Z][\w'&-]*(?:\s+(?:of\s+)?(?:[A-Z][\w'&-]*|\d+))+"),
    re.compile(r"(?:(?<=ask for )|(?<=and )|(?<=alias )|(?<=name )|(?<=contact ))([A-Z][a-z]+)\b"),
    re.compile(
        rf"(?i)\b(?:{_THINGS}|place|string|word|name|identifier|token|code|note)\s+"
        r"((?:[a-z][\w'-]*\s+){1,5}?[a-z][\w'-]*)\s+(?=from\b|as deleted)"
    ),
    re.compile(r"(?<![\w$])(?:\$?\d[\d,.:-]*\d|[\w]*[A-Za-z_-]*\d[\w-]*)(?:\s?(?:USD|EUR|AM|PM|am|pm|%)(?!\w)|%)?"),
)
_SAYS_NOTHING = re.compile(
    r"(?i)^(?:the|from|memory|shared memory|active memory|value|token|note|and|or|a|an|of|old|exact|usd|\W)+$"
)


def values(text: str) -> list[str]:
    """The values that a turn asks to forget; none if it asks a question."""
    if not _ASKS.search(text) or text.rstrip().endswith("?"):
        return []
    found = [value for clause in _clauses(text) for value in _named(clause)]
    return [
        value
        for value in dict.fromkeys(found)
        if len(re.sub(r"\W", "", value)) >= 3 and not _SAYS_NOTHING.match(value) and len(value) < 200
    ][:MOST]


def _clauses(text: str) -> Iterator[str]:
    """The parts of a text that name what goes: what follows a verb, and what precedes the words that it is gone."""
    for sentence in _SENTENCE.split(text):
        if sentence.rstrip().endswith("?") or _BEGINS_WITH_WHAT_STAYS.search(sentence):
            continue
        verbs = list(_VERB.finditer(sentence))
        for verb in verbs:
            rest = sentence[verb.end() :]
            stays = _STAYS.search(rest)
            yield rest[: stays.start()] if stays else rest
        gone = _IS_GONE.search(sentence)
        if verbs and _PAST.search(sentence) and not _IS_CURRENT.search(sentence[: verbs[0].start()]):
            yield sentence[: verbs[0].start()]
        elif not verbs and gone and not _IS_CURRENT.search(sentence):
            yield sentence[: gone.start()]
        if refused := _NOT_RETAINED.search(sentence):
            yield sentence[refused.end() :]


def _named(clause: str) -> Iterator[str]:
    rest = clause
    for match in _QUOTED.finditer(clause):
        quoted = (match[1] or match[2]).strip(" ,.")
        rest = rest.replace(match[0], " ")
        yield quoted.split(" = ")[1] if " = " in quoted else quoted  # the value of a setting
    yield from (match[0] for match in _DATE.finditer(rest))
    rest = _DATE.sub(" ", rest)
    for rule in _RULES:
        for match in rule.finditer(rest):
            yield (match[1] if rule.groups else match[0]).strip(" .,:;-'\"")
