"""Long messages: weekly letters of eight people at a small museum, each about several topics, and questions about one
of them. The answer is within a paragraph, between paragraphs of others about the same topics."""

import random
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bench.corpora import Corpus, Question, message

NAME = "long-messages"
NEEDS_PLACE = False
CATEGORY = "one fact in a long message"
PEOPLE = ("Amara", "Bastian", "Chiyo", "Dmitri", "Elif", "Farouk", "Greta", "Hugo")
THINGS = (
    "the harbour exhibition",
    "the map room",
    "the glass collection",
    "the school programme",
    "the archive",
    "the café",
)
_LETTERS = 48
_SEED = 13

#: Each: the paragraph with the fact, and in the last line the question.
_FACTS = Path(__file__).with_suffix(".txt").read_text()
FACTS = [(" ".join(lines[:-1]), lines[-1]) for lines in (block.splitlines() for block in _FACTS.strip().split("\n\n"))]

#: The text of every letter between its facts; the names in braces vary.
_FILLERS = Path(__file__).with_name("long_messages_between.txt").read_text()
FILLERS = [block.replace("\n", " ") for block in _FILLERS.strip().split("\n\n")]


def read(place: Path | None) -> Corpus:
    """Letters of five to seven paragraphs, always from the same seed; each fact is in one of them."""
    chance = random.Random(_SEED)
    facts: list[list[int]] = [[] for _ in range(_LETTERS)]
    for number in range(len(FACTS)):
        facts[number * 11 % _LETTERS].append(number)
    start = datetime(2025, 9, 1, 17, tzinfo=UTC)
    events = []
    for letter, numbers in enumerate(facts):
        paragraphs = [_filled(filler, chance) for filler in chance.sample(FILLERS, chance.randint(4, 6))]
        for number in numbers:
            paragraphs.insert(chance.randint(1, len(paragraphs)), FACTS[number][0])
        ts = (start + timedelta(days=5 * letter)).strftime("%Y-%m-%dT%H:%M:%SZ")
        speaker = PEOPLE[letter % len(PEOPLE)]
        events.append(message(f"letter-{letter}", ts, speaker, "\n\n".join(paragraphs), "letters"))
    answers = {number: f"letter-{letter}" for letter, numbers in enumerate(facts) for number in numbers}
    questions = [Question(text, frozenset({answers[number]}), CATEGORY) for number, (_, text) in enumerate(FACTS)]
    return Corpus(NAME, "letters of about 350 words; a hit is the letter with the fact", events, questions)


def _filled(filler: str, chance: random.Random) -> str:
    one, two = chance.sample(PEOPLE, 2)
    return filler.format(one=one, two=two, thing=chance.choice(THINGS))
