"""Questions in other words than their answers, and messages with the questions' words and no answer."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from bench.corpora import Corpus, Question, message

NAME = "paraphrases"
NEEDS_PLACE = False
CATEGORY = "paraphrase"

#: Three lines each: the statement; a question for it; a decoy with the words of the question and no answer.
_FILE = Path(__file__).with_suffix(".txt")
TRIPLES = [tuple(lines.splitlines()) for lines in _FILE.read_text().strip().split("\n\n")]


def read(place: Path | None) -> Corpus:
    """One message a day: the answers and the decoys between them."""
    said = [text for answer, _, decoy in TRIPLES for text in (answer, decoy)]
    # decoys are far from the answers that they imitate; otherwise they would borrow their words
    order = sorted(range(len(said)), key=lambda number: (number % 2, number * 7 % len(said)))
    start = datetime(2026, 1, 5, 9, tzinfo=UTC)
    events = [
        message(
            f"p{number}",
            (start + timedelta(days=day)).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "Robin" if day % 2 else "Kim",
            said[number],
            f"day-{day}",
        )
        for day, number in enumerate(order)
    ]
    questions = [Question(text, frozenset({f"p{2 * number}"}), CATEGORY) for number, (_, text, _) in enumerate(TRIPLES)]
    return Corpus(NAME, "questions in other words, with decoys", events, questions)
