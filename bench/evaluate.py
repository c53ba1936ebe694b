"""`python -m bench.evaluate`: how well search finds answers, measured through the HTTP API (`make eval ARGS="..."`).

Each corpus of bench/corpora gets its own tenant on its own server; the table has one row per way of searching, and a
library's BM25 for comparison. `--gatemem` measures shared memory instead (bench.gatemem).
"""

import argparse
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from bench import bm25, gatemem, load, report
from bench.corpora import Corpus, Question, Source, sources
from bench.scoring import Score, by_category, leave_one_out, score
from bench.stack import UNLIMITED, NotStarted, Stack

AGENT = "evaluator"
#: More than 10 events, because several chunks of one long message are one hit.
LIMIT = 50
BATCH = 100
CALLERS = 3
FITTED = "hybrid, alpha fitted"


@dataclass(frozen=True, slots=True)
class Way:
    """A way of searching: a label, and its additional fields of the request."""

    label: str
    body: dict[str, Any] = field(default_factory=dict)
    #: Whether to join the words of the question by OR, as an agent must if otherwise every word has to match.
    joined: bool = False


#: Each row changes one thing.
WAYS = (
    Way("as it is"),
    Way("words joined by OR", joined=True),
    Way("keyword", {"mode": "keyword"}),
    Way("semantic", {"mode": "semantic"}),
    *(Way(f"hybrid, alpha {alpha}", {"mode": "hybrid", "hybrid_alpha": alpha}) for alpha in (0.3, 0.5, 0.7)),
    Way("keyword, rerank", {"mode": "keyword", "rerank": True}),
    Way("hybrid, rerank", {"mode": "hybrid", "rerank": True}),
)
#: Leave-one-out chooses among these.
ALPHAS = tuple(way.label for way in WAYS if way.label.startswith("hybrid, alpha"))


def main(arguments: list[str] | None = None) -> int:
    """Evaluate, print tables, and write the results to a file; returns 2 if a corpus cannot be read."""
    found = sources()
    options = _options(arguments, found)
    corpora = []
    for name, source in found.items():
        place = getattr(options, name.replace("-", "_")) if source.NEEDS_PLACE else None
        if name in (options.corpus or found) and not (source.NEEDS_PLACE and place is None):
            try:
                corpora.append(source.read(place))
            except ValueError as error:
                print(f"evaluate: {error}", file=sys.stderr)
                return 2
    try:
        episodes = gatemem.read(options.gatemem)[:: options.every] if options.gatemem else []
    except ValueError as error:
        print(f"evaluate: {error}", file=sys.stderr)
        return 2
    if episodes and not options.corpus:
        corpora = []
    wanted = [part.strip() for part in options.ways.split(",")] if options.ways else [""]
    ways = [way for way in WAYS if any(part in way.label for part in wanted)]
    results: dict[str, Any] = {"before": report.surroundings()}
    stack = Stack(UNLIMITED)
    try:
        stack.start("web")
        results["corpora"] = {corpus.name: _evaluate(stack, corpus, ways, options.every) for corpus in corpora}
        if episodes:
            results["gatemem"] = gatemem.evaluate(stack, episodes, options.ways.split(",") if options.ways else [""])
    except NotStarted as printed:
        raise SystemExit(f"The stack did not start: {printed}") from None
    finally:
        stack.stop()
        stack.remove()
    report.save("eval", {**results, "after": report.surroundings()}, options.results)
    return 0


def _options(arguments: list[str] | None, found: dict[str, Source]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.evaluate", description=__doc__)
    parser.add_argument("--corpus", action="append", choices=sorted(found), help="only this corpus (repeatable)")
    parser.add_argument("--ways", help="only ways of searching whose label contains one of these, separated by commas")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only every Nth question or episode (1)")
    parser.add_argument(
        "--gatemem",
        type=Path,
        metavar="PLACE",
        help="path of GateMem, which is not part of the project; only it is measured, unless you name a corpus",
    )
    parser.add_argument("--results", type=Path, help="directory for the results as JSON (bench/results)")
    for name, source in found.items():
        if source.NEEDS_PLACE:
            parser.add_argument(
                f"--{name}", type=Path, metavar="PLACE", help=f"path of {name}, which is not part of the project"
            )
    options = parser.parse_args(arguments)
    if options.every < 1:
        parser.error("--every must be at least 1")
    for name in options.corpus or ():
        if found[name].NEEDS_PLACE and getattr(options, name.replace("-", "_")) is None:
            parser.error(f"the corpus {name} needs --{name} PLACE")
    return options


def _evaluate(stack: Stack, corpus: Corpus, ways: Sequence[Way], every: int) -> dict[str, Any]:
    """Record a corpus, ask its questions in every way, and print and return the scores."""
    slug = f"eval-{corpus.name}"
    key = stack.provision(slug, "--agent", AGENT)[AGENT]
    made: dict[str, str] = {}
    load.call(stack.port, key, [_recording(corpus, made)])
    stack.told("embed", "--tenant", slug)  # as the jobs of the worker would do
    questions = corpus.questions[::every]
    scores = {
        f"BM25 of a library, {tokens}": _scores(bm25.rank(corpus, stems=stems)[::every], questions)
        for tokens, stems in (("words", False), ("stems", True))
    }
    seconds: dict[str, float] = {}
    for way in ways:
        first = load.ask(stack.port, key, _request(way, questions[0]))
        if not first.is_done:
            report.CONSOLE.print(f"{way.label}: not offered ({first})", markup=False)
            continue
        ranked: dict[int, list[str]] = {}
        started, waiting = time.monotonic(), iter(enumerate(questions))
        load.call(stack.port, key, [_asking(way, waiting, made, ranked) for _ in range(CALLERS)])
        seconds[way.label] = (time.monotonic() - started) * CALLERS / len(questions)
        scores[way.label] = _scores([ranked[number] for number in range(len(questions))], questions)
    chosen: dict[str, str] = {}
    candidates = {label: scores[label] for label in ALPHAS if label in scores}
    if len(candidates) > 1 and len({question.group for question in questions}) > 1:
        scores[FITTED], chosen = leave_one_out(questions, candidates)
    figures = {label: by_category(questions, each, corpus.apart) for label, each in scores.items()}
    _show(corpus, figures, seconds)
    return {
        "events": len(corpus.events),
        "questions": len(questions),
        "figures": {label: {of: asdict(one) for of, one in row.items()} for label, row in figures.items()},
        "seconds_per_question": seconds,
        "fitted": chosen,
    }


def _recording(corpus: Corpus, made: dict[str, str]) -> load.Caller:
    """Record the events of the corpus; collects the source id of each event."""
    for first in range(0, len(corpus.events), BATCH):
        batch = corpus.events[first : first + BATCH]
        bodies = [{name: value for name, value in event.items() if name != "source_id"} for event in batch]
        answer = yield "POST", "events/batch", {"events": bodies}
        for event, recorded in zip(batch, answer.json()["events"], strict=True):
            made[recorded["event_id"]] = event["source_id"]


def _request(way: Way, question: Question) -> load.Request:
    words = " OR ".join(question.text.split()) if way.joined else question.text
    return "POST", "chunks/search", {"query": words, "limit": LIMIT, **question.filters, **way.body}


def _asking(
    way: Way, waiting: Iterator[tuple[int, Question]], made: Mapping[str, str], ranked: dict[int, list[str]]
) -> load.Caller:
    """Ask the waiting questions; collects the sources of the found events, best first."""
    for number, question in waiting:
        answer = yield _request(way, question)
        ranked[number] = [made[event] for event in dict.fromkeys(one["event_id"] for one in answer.json()["chunks"])]


def _scores(ranked: Sequence[Sequence[str]], questions: Sequence[Question]) -> list[Score]:
    return [score(found, question.answers) for found, question in zip(ranked, questions, strict=True)]


def _show(corpus: Corpus, figures: dict[str, dict[str, Score]], seconds: dict[str, float]) -> None:
    rows: report.Rows = [
        {
            "search": label,
            **{f"{of} ({one.questions})": _row(one) for of, one in row.items()},
            "ms": round(1000 * seconds[label]) if label in seconds else None,
        }
        for label, row in figures.items()
    ]
    report.show(f"{corpus.name}: {corpus.about} (recall@5 / recall@10 / MRR)", rows)


def _row(one: Score) -> str:
    return f"{one.recall_5:.3f} / {one.recall_10:.3f} / {one.reciprocal_rank:.3f}"


if __name__ == "__main__":
    raise SystemExit(main())
