"""E10, multimodal (intent): what a text does: ask, request, promise, refuse; and with which verb to which object."""

import re
from collections.abc import Sequence

from memory.spaces.features import STOP_WORDS, hashed, stem, words
from memory.spaces.protocol import Dense, DenseSpace, Item

#: What a verb with its object, a verb, and an object count beside one speech act.
ACT, VERB_OBJECT, VERB, OBJECT = 1.0, 0.6, 0.4, 0.25

#: Speech acts by the words that tell of them. Source of the classes: Searle 1976, "A classification of illocutionary
#: acts", with those of dialogue (Stolcke et al. 2000).
ACTS: dict[str, re.Pattern[str]] = {
    name: re.compile(pattern, re.I)
    for name, pattern in {
        "request": r"\b(?:please|(?:could|can|would|will) you|would you mind|i need you to|make sure (?:to|you))\b",
        "instruct": r"^\s*(?:always|never|do not|don't|use|add|remove|delete|fix|run|write|send|open|create|update"
        r"|change|set|check|call|remember|tell|show|give|install|rename|move)\b",
        "offer": r"\b(?:(?:can|may|shall|could) i (?:help|send|do|bring|get)|let me know if"
        r"|i(?: can|'d be happy to) help)\b",
        "promise": r"\b(?:i(?:'ll| will)|we(?:'ll| will)|i promise|going to|i(?:'m| am) (?:about|planning) to)\b",
        "propose": r"\b(?:let's|let us|shall we|how about|what about|why don't we|we (?:could|should)|maybe we)\b",
        "decide": r"\b(?:(?:i|we)(?:'ve| have)? (?:decided|chose|chosen|agreed|settled)|the decision is"
        r"|we are going with)\b",
        "report": r"\b(?:(?:i|we|he|she|they) (?:just |already |finally )?(?:went|made|did|got|saw|found|fixed|finished"
        r"|sent|met|started|bought|wrote|ran|took|had|was|were|\w+ed)|(?:was|were|has been|have been) \w+ed)\b",
        "feel": r"\b(?:i(?:'m| am) (?:so |really |very )?(?:happy|sad|glad|proud|excited|worried|afraid|tired|sorry"
        r"|nervous)|i (?:love|like|hate|enjoy|prefer|miss|feel|hope))\b",
        "judge": r"\b(?:i (?:think|believe|guess|suppose|doubt)|in my opinion|it seems|(?:that|this|it)(?:'s| is) "
        r"(?:great|good|bad|awesome|amazing|terrible|wonderful|awful|nice|wrong|right|better|worse))\b",
        "thank": r"\b(?:thanks|thank you|appreciate|grateful)\b",
        "apologize": r"\b(?:sorry|apolog(?:y|ies|i[sz]e)|my bad|my fault)\b",
        "greet": r"^\s*(?:hi|hello|hey|good (?:morning|afternoon|evening)|dear)\b",
        "part": r"\b(?:bye|goodbye|see you|take care|talk (?:to you )?(?:soon|later)|good night)\b",
        "agree": r"^\s*(?:yes|yeah|yep|sure|ok|okay|exactly|absolutely|definitely|of course|agreed|right)\b",
        "refuse": r"^\s*(?:no|nope|not really)\b|\b(?:i (?:can't|cannot|won't|refuse)|no way|not possible)\b",
        "warn": r"\b(?:careful|beware|warning|watch out|do not forget|don't forget|caution)\b",
    }.items()
}
_ASKING = re.compile(
    r"^\s*(?:(?:and|so|but|well|oh|hey|wow)[,\s]+)?(?:who|what|when|where|why|which|whose|how|is|are|was|were|do|does|did"
    r"|have|has|had|can|could|will|would|should|shall|may|any)\b[^.!]*$",
    re.I,
)
_SENTENCE = re.compile(r"[^.!?\u2026\u3002\uff01\uff1f]+[.!?\u2026\u3002\uff01\uff1f]*")
#: Words that carry no act of their own: the word after them does.
_AUXILIARIES = "be am is are was were do does did have has had will would can could shall should may might"
_SUBJECTS = "i you he she it we they to not please let's"
_BEFORE_VERBS = frozenset(f"{_AUXILIARIES} {_SUBJECTS}".split())
_STATEMENT = "statement"


class Intent(DenseSpace):
    """The speech acts of a text and its verbs with their objects, hashed: "could you send me the report?" is near to
    "please send the report", and farther from "I sent the report"."""

    name = "E10"
    title = "multimodal (intent)"
    size = 768
    source = "speech acts (Searle 1976; Stolcke et al. 2000) and verb-object pairs by position; hashed"

    def embed(self, items: Sequence[Item]) -> list[Dense]:
        return [hashed(features(item.text), self.size) for item in items]

    def embed_query(self, query: Item) -> Dense | None:
        """What the question wants done; None for one that only asks, as nearly every query does."""
        found = {name: weight for name, weight in features(query.text).items() if not name.startswith("act ")}
        acts = acts_of(query.text) - {"ask", _STATEMENT}
        found |= {f"act {act}": ACT for act in acts}
        return hashed(found, self.size) if found else None


def is_question(text: str) -> bool:
    """Whether `text` asks more than it tells: its last sentence is a question."""
    sentences = [sentence.strip() for sentence in _SENTENCE.findall(text) if sentence.strip()]
    return bool(sentences) and _asks(sentences[-1])


def acts_of(text: str) -> set[str]:
    """The speech acts of `text`; `statement`, if it has no other."""
    acts = set()
    for sentence in _SENTENCE.findall(text):
        acts |= {act for act, pattern in ACTS.items() if pattern.search(sentence)}
        if _asks(sentence) and "request" not in acts:
            acts.add("ask")
    return acts or {_STATEMENT}


def features(text: str) -> dict[str, float]:
    """The weighted features of `text`; never none."""
    found = {f"act {act}": ACT for act in acts_of(text)}
    for sentence in _SENTENCE.findall(text):
        verb, thing = verb_and_object(sentence)
        if verb:
            found[f"verb {verb}"] = VERB
        if thing:
            found[f"object {thing}"] = OBJECT
        if verb and thing:
            found[f"verb {verb} object {thing}"] = VERB_OBJECT
    return found


def verb_and_object(sentence: str) -> tuple[str | None, str | None]:
    """The stems of the verb and the object, by their places: the first telling word after a subject, an auxiliary or
    the beginning, and the next telling word."""
    found = words(sentence)
    telling = [place for place, word in enumerate(found) if word not in STOP_WORDS and word not in _BEFORE_VERBS]
    after_subject = [place for place in telling if place == 0 or found[place - 1] in _BEFORE_VERBS]
    chosen = (after_subject or telling)[:1]
    if not chosen:
        return None, None
    rest = [found[place] for place in telling if place > chosen[0]]
    return stem(found[chosen[0]]), stem(rest[0]) if rest else None


def _asks(sentence: str) -> bool:
    return sentence.rstrip().endswith(("?", "\uff1f")) or _ASKING.match(sentence) is not None
