"""Code and references: the log of a coding agent's work on a shop's services: code, commits, reviews, errors, tickets.

Identifiers have one style in the code and another in some questions; several services have functions with similar
names.
"""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from bench.corpora import Corpus, Question, message

NAME = "code-and-references"
NEEDS_PLACE = False

#: For each piece of work: path, function, ticket, code, reason, review, error.
_FILE = Path(__file__).with_suffix(".txt")
#: Pieces of work whose question is answered by the review instead of the commit.
_ANSWERED_BY_REVIEW = frozenset({11})
_REFERENCE, _IDENTIFIER, _TICKET, _WORDS = "path", "identifier in another style", "ticket", "in words"


def read(place: Path | None) -> Corpus:
    """Five messages about each piece of work, one session each; four questions, one of each category."""
    start = datetime(2026, 2, 2, 8, tzinfo=UTC)
    events, questions = [], []
    for number, block in enumerate(_FILE.read_text().strip().split("\n\n")):
        head, code, why, review, error, question = block.splitlines()
        path, function, ticket = (part.strip() for part in head.split("|"))
        module = path.rpartition("/")[2].removesuffix(".py")
        # the error appears in a test, and the review says where, so that neither repeats the name of the function
        said = {
            "code": ("coder", f"{path}\n```python\n{code}\n```", [path]),
            "why": ("coder", f"{ticket}: {why}", [ticket]),
            "review": ("reviewer", f"{path}:{12 + number}: {review}", [path]),
            "error": ("ci", f"tests/test_{module}.py failed.\n{error}", []),
            "done": ("coder", f"Merged the branch for {ticket} and told the team.", [ticket]),
        }
        for minute, (what, (speaker, text, refs)) in enumerate(said.items()):
            ts = (start + timedelta(days=number, minutes=7 * minute)).strftime("%Y-%m-%dT%H:%M:%SZ")
            events.append(message(f"{what}-{number}", ts, speaker, text, f"work-{number}", refs=refs))
        questions += [
            Question(f"What did the review of {path} ask for?", frozenset({f"review-{number}"}), _REFERENCE),
            Question(f"Where is {_snake(function)} defined?", frozenset({f"code-{number}"}), _IDENTIFIER),
            Question(f"What was {ticket} about?", frozenset({f"why-{number}"}), _TICKET),
            Question(question, frozenset({f"{'review' if number in _ANSWERED_BY_REVIEW else 'why'}-{number}"}), _WORDS),
        ]
    return Corpus(NAME, "a coding agent's log; a hit is the message with the answer", events, questions)


def _snake(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)
