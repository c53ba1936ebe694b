"""E5, causal: what a text names as a cause, and what as its effect."""

import re
from collections.abc import Sequence

import numpy as np

from memory.spaces.features import hashed, telling_words
from memory.spaces.protocol import Dense, Direction, Item, Kind, Metric, Space, unit

_HALF = 768
#: The factor of a text that states the cause in the direction of the question, and of one that states the reverse.
WITH_DIRECTION, AGAINST_DIRECTION = 1.2, 0.8
#: A text that states no cause may be either: its words stand in both halves, beside a feature that no question has,
#: which keeps its cosine below that of a text that does state one.
_UNSTATED = "no cause is stated"
_UNSTATED_WEIGHT = 1.0

#: Between an effect and its cause ("late because of the snow"), and between a cause and its effect.
EFFECT_FIRST = (
    "because of|because|due to|owing to|thanks to|on account of|as a result of|(?:was|were|is|are) caused by|caused by"
    "|resulted from|results from|stems from|stemmed from|comes from|came from|triggered by|driven by"
)
CAUSE_FIRST = (
    "therefore|consequently|as a result|as a consequence|for this reason|that is why|that's why|which is why"
    "|which caused|which led to|led to|leads to|causes|caused|cause|results in|resulted in|triggers|triggered|forces"
    r"|forced|prevents|prevented|enables|enabled|hence|thus|so that|(?<=,\s)so"
)
_CUE = re.compile(rf"[,;:]?\s*\b(?:(?P<effect_first>{EFFECT_FIRST})|(?P<cause_first>{CAUSE_FIRST}))\b[,:]?\s*", re.I)
_CUE_AT_START = re.compile(rf"^(?:{EFFECT_FIRST})\b(?P<cause>[^,;]+)[,;](?P<effect>.+)", re.I | re.S)
_SENTENCE = re.compile("[^.!?\u2026\u3002]+")

_ASKS_CAUSE = re.compile(
    r"^\s*why\b(?P<about>.*)|\bwhat\s+(?:has\s+|have\s+)?(?:caused?|led\s+to|triggered|made)\b(?P<what>.*)"
    r"|\b(?:reason|cause)\s+(?:for|of|that)\b(?P<reason>.*)|\bhow\s+come\b(?P<come>.*)",
    re.I | re.S,
)
_ASKS_EFFECT = re.compile(
    r"\bwhat\s+(?:did|does|do|will|would)\s+(?P<cause>.+?)\s+(?:cause|lead\s+to|result\s+in|trigger|do\s+to)\b"
    r"|\bwhat\s+(?:happens|happened|happen)\s+(?:after|when|if|because(?:\s+of)?)\b(?P<after>.*)"
    r"|\b(?:effects?|consequences?|results?|impact)\s+of\b(?P<of>.*)",
    re.I | re.S,
)


class Causality(Space[Dense]):
    """Two halves: the words of the causes, and the words of the effects, cut at cue words such as "because".

    A question "why X?" compares X with what texts name as an effect, and "what did X cause?" with what they name as a
    cause. So "the disk was full because the server crashed" and its reverse, which have the same words, differ.
    """

    name = "E5"
    title = "causal"
    kind = Kind.DENSE
    size = 2 * _HALF
    metric = Metric.ASYMMETRIC
    source = "explicit causal connectives (Girju 2003); hashed words of the two spans"

    def embed(self, items: Sequence[Item]) -> list[Dense]:
        return [self._embed(item.text) for item in items]

    def _embed(self, text: str) -> Dense:
        causes, effects = spans(text)
        if not causes and not effects:
            half = _half(text, _UNSTATED_WEIGHT)
            return unit(np.concatenate([half, half]))
        return unit(np.concatenate([_half(causes or text, 0.0), _half(effects or text, 0.0)]))

    def embed_query(self, query: Item) -> Dense | None:
        """What is asked about stands in one half, the other one is zero; None if the question asks for no cause and
        no effect."""
        asked = direction_of(query.text)
        if asked is None:
            return None
        wanted, about = asked
        half, empty = _half(about, 0.0), np.zeros(_HALF, np.float32)
        # who asks for a cause knows the effect
        halves = [empty, half] if wanted is Direction.CAUSE else [half, empty]
        return np.concatenate(halves)

    def score(self, query: Dense, items: Sequence[Dense]) -> list[float]:
        """The larger of the cosine with the half that the question is about, times 1.2, and of that with the other
        half, times 0.8."""
        first, second = query[:_HALF], query[_HALF:]
        knows_cause = bool(first.any())
        known = first if knows_cause else second
        scores = []
        for item in items:
            cause, effect = (half / (float(np.linalg.norm(half)) or 1.0) for half in (item[:_HALF], item[_HALF:]))
            same, other = (cause, effect) if knows_cause else (effect, cause)
            scores.append(max(WITH_DIRECTION * float(known @ same), AGAINST_DIRECTION * float(known @ other)))
        return scores


def spans(text: str) -> tuple[str, str]:
    """The words that `text` names as causes, and as effects; both empty if it names none."""
    causes, effects = [], []
    for sentence in _SENTENCE.findall(text):
        sentence = sentence.strip()
        if found := _CUE_AT_START.match(sentence):
            causes.append(found["cause"])
            effects.append(found["effect"])
        elif (cue := _CUE.search(sentence)) and sentence[: cue.start()].strip() and sentence[cue.end() :].strip():
            before, after = sentence[: cue.start()], sentence[cue.end() :]
            effect, cause = (before, after) if cue["effect_first"] else (after, before)
            causes.append(cause)
            effects.append(effect)
    return " ".join(causes), " ".join(effects)


def direction_of(text: str) -> tuple[Direction, str] | None:
    """Whether a question asks for a cause or an effect, and about what; None if for neither."""
    for direction, pattern in ((Direction.EFFECT, _ASKS_EFFECT), (Direction.CAUSE, _ASKS_CAUSE)):
        if found := pattern.search(text):
            about = next((part for part in found.groups() if part and part.strip()), "")
            if telling_words(about):
                return direction, about
    return None


def _half(text: str, unstated: float) -> Dense:
    features = {f"word {word}": 1.0 for word in telling_words(text)} or {"no word": 1.0}
    vector = hashed(features, _HALF)
    return unit(vector + unstated * hashed({_UNSTATED: 1.0}, _HALF)) if unstated else vector
