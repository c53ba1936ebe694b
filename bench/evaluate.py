"""`python -m bench.evaluate`: how well search finds answers, measured through the HTTP API (`make eval ARGS="..."`).

For each corpus of bench/corpora: a tenant of its own on a server of its own, one row for each way of searching, and a
library's BM25 beside them.
"""

import argparse
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import httpx
from rich.console import Console
from rich.table import Table

from bench import servers
from bench.corpora import Corpus, Question, Source, sources
from bench.scoring import Score, by_category, leave_one_out, mean, score

DATABASE = "suture_bench_eval"
AGENT = "evaluator"
#: More than 10 events, because several chunks of one long message are one hit.
LIMIT = 50
BATCH = 100
CALLERS = 3
MOST_SECONDS = 120.0
FITTED = "hybrid, alpha fitted"


@dataclass(frozen=True, slots=True)
class Way:
    """One way of searching: a label, and what it adds to the request."""

    label: str
    body: dict[str, Any] = field(default_factory=dict)
    #: Whether the words of the question are joined by OR, as an agent must where every word has to match.
    joined: bool = False


#: One row changes one thing.
WAYS = (
    Way("as it stands"),
    Way("words joined by OR", joined=True),
    Way("keyword", {"mode": "keyword"}),
    Way("semantic", {"mode": "semantic"}),
    *(Way(f"hybrid, alpha {alpha}", {"mode": "hybrid", "hybrid_alpha": alpha}) for alpha in (0.3, 0.5, 0.7)),
    Way("keyword, rerank", {"mode": "keyword", "rerank": True}),
    Way("hybrid, rerank", {"mode": "hybrid", "rerank": True}),
)
#: Of these, leave-one-out chooses.
ALPHAS = tuple(way.label for way in WAYS if way.label.startswith("hybrid, alpha"))


def _options(arguments: list[str] | None, found: dict[str, Source]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.evaluate", description=__doc__)
    parser.add_argument("--corpus", action="append", choices=sorted(found), help="this corpus alone (repeatable)")
    parser.add_argument("--ways", help="the ways of searching whose label contains one of these, separated by commas")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="ask every Nth question only (1)")
    parser.add_argument("--results", type=Path, help="where the figures go as JSON (bench/results)")
    for name, source in found.items():
        if source.NEEDS_PLACE:
            parser.add_argument(f"--{name}", type=Path, metavar="PLACE", help=f"the files of {name}, which do not ship")
    options = parser.parse_args(arguments)
    if options.every < 1:
        parser.error("--every is at least 1")
    for name in options.corpus or ():
        if found[name].NEEDS_PLACE and getattr(options, name.replace("-", "_")) is None:
            parser.error(f"the corpus {name} needs --{name} PLACE")
    return options


def main(arguments: list[str] | None = None) -> int:
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
    wanted = [part.strip() for part in options.ways.split(",")] if options.ways else [""]
    ways = [way for way in WAYS if any(part in way.label for part in wanted)]
    with servers.running():
        _evaluate(corpora, ways, options, Console(width=None if sys.stdout.isatty() else 140))
    return 0


def _evaluate(corpora: Sequence[Corpus], ways: Sequence[Way], options: argparse.Namespace, console: Console) -> None:
    # The settings find their servers in the environment, which is complete only now.
    from bench import bm25, database, report, webserver

    results: dict[str, Any] = {"before": report.surroundings(), "corpora": {}}
    database.create(DATABASE)
    variables = database.environment(DATABASE)
    try:
        with webserver.running(webserver.default(), {**variables, "SECRET_KEY": "evaluation"}) as port:
            for corpus in corpora:
                questions = corpus.questions[:: options.every]
                client = _Client(port, _key_of(corpus, variables))
                started = time.monotonic()
                sources_by_event = _record(client, corpus)
                _complete(corpus, variables)
                console.print(f"{corpus.name}: {len(corpus.events):,} events in {time.monotonic() - started:.0f} s")
                rows = {
                    f"BM25 of a library, {tokens}": _scores(bm25.rank(corpus, stems=stems)[:: options.every], questions)
                    for tokens, stems in (("words", False), ("stems", True))
                }
                seconds: dict[str, float] = {}
                for way in ways:
                    answered = _ask(client, way, questions, sources_by_event)
                    if isinstance(answered, str):
                        console.print(f"  {way.label}: not offered ({answered})")
                        continue
                    rows[way.label], seconds[way.label] = answered
                    console.print(f"  {way.label}: {_row(mean(rows[way.label]))}")
                figures, fitted = _figures(corpus, questions, rows)
                _show(console, corpus, figures, seconds)
                results["corpora"][corpus.name] = {
                    "events": len(corpus.events),
                    "questions": len(questions),
                    "figures": {way: {of: asdict(one) for of, one in row.items()} for way, row in figures.items()},
                    "seconds_per_question": seconds,
                    "fitted": fitted,
                }
    finally:
        database.drop(DATABASE)
    results["after"] = report.surroundings()
    console.print(f"The figures are in {report.save('eval', results, options.results)}")


class _Client:
    """Requests of one agent; each thread has its own connection."""

    def __init__(self, port: int, key: str) -> None:
        self._port, self._key = port, key
        self._kept = threading.local()

    def post(self, path: str, body: Any) -> httpx.Response:
        if not hasattr(self._kept, "client"):
            self._kept.client = httpx.Client(
                base_url=f"http://127.0.0.1:{self._port}/api/v1/",
                headers={"Authorization": f"Bearer {self._key}"},
                timeout=MOST_SECONDS,
            )
        response: httpx.Response = self._kept.client.post(path, json=body)
        return response


def _key_of(corpus: Corpus, variables: dict[str, str]) -> str:
    """The key of an agent in a new tenant for the corpus."""
    printed = _manage(variables, "provision", f"eval-{corpus.name}", "--agent", AGENT, "--json")
    key: str = json.loads(printed)["agents"][AGENT]["key"]
    return key


def _manage(variables: dict[str, str], *arguments: str) -> str:
    """What a command of the product prints. Raises SystemExit with its message if it fails."""
    done = subprocess.run(
        [sys.executable, str(servers.ROOT / "manage.py"), *arguments],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"manage.py {arguments[0]}: {done.stderr[-2000:]}")
    return done.stdout


def _record(client: _Client, corpus: Corpus) -> dict[str, str]:
    """Record the events of the corpus; the source id of each event that was made."""
    made: dict[str, str] = {}
    waiting = iter(corpus.events)
    while batch := list(islice(waiting, BATCH)):
        bodies = [{name: value for name, value in event.items() if name != "source_id"} for event in batch]
        response = client.post("events/batch", {"events": bodies})
        if response.status_code != httpx.codes.CREATED:
            raise SystemExit(f"{corpus.name}: recording answered {response.status_code}: {response.text[:1000]}")
        for event, recorded in zip(batch, response.json()["events"], strict=True):
            made[recorded["event_id"]] = event["source_id"]
    return made


def _complete(corpus: Corpus, variables: dict[str, str]) -> None:
    """Do what the jobs of the worker would: context, statistics of terms, embeddings."""
    _manage(variables, "embed", "--tenant", f"eval-{corpus.name}")


def _ask(
    client: _Client, way: Way, questions: Sequence[Question], sources_by_event: dict[str, str]
) -> tuple[list[Score], float] | str:
    """The score of each question and the mean seconds of an answer; or why the server refuses this way."""

    def ranked(question: Question) -> list[str] | str:
        words = " OR ".join(question.text.split()) if way.joined else question.text
        body = {"query": words, "limit": LIMIT, **question.filters, **way.body}
        response = client.post("chunks/search", body)
        if response.status_code != httpx.codes.OK:
            problem = response.json()
            return str((problem.get("errors") or [problem])[0].get("detail", response.status_code))
        events = dict.fromkeys(chunk["event_id"] for chunk in response.json()["chunks"])
        return [sources_by_event[event] for event in events]

    if questions and isinstance(first := ranked(questions[0]), str):
        return first
    started = time.monotonic()
    with ThreadPoolExecutor(CALLERS) as pool:
        answers = list(pool.map(ranked, questions))
    taken = (time.monotonic() - started) * CALLERS / max(len(questions), 1)
    for question, answer in zip(questions, answers, strict=True):
        if isinstance(answer, str):
            raise SystemExit(f"{way.label}: {question.text!r} was refused: {answer}")
    return _scores([answer for answer in answers if not isinstance(answer, str)], questions), taken


def _scores(ranked: Sequence[Sequence[str]], questions: Sequence[Question]) -> list[Score]:
    return [score(found, question.answers) for found, question in zip(ranked, questions, strict=True)]


def _figures(
    corpus: Corpus, questions: Sequence[Question], rows: dict[str, list[Score]]
) -> tuple[dict[str, dict[str, Score]], dict[str, str]]:
    """The means of each way by category, with a row for what is fitted; and what the fit chose for each group."""
    chosen: dict[str, str] = {}
    candidates = {label: rows[label] for label in ALPHAS if label in rows}
    if len(candidates) > 1 and len({question.group for question in questions}) > 1:
        rows[FITTED], chosen = leave_one_out(questions, candidates)
    return {label: by_category(questions, scores, corpus.apart) for label, scores in rows.items()}, chosen


def _row(one: Score) -> str:
    return f"{one.recall_5:.3f} / {one.recall_10:.3f} / {one.reciprocal_rank:.3f}"


def _show(console: Console, corpus: Corpus, figures: dict[str, dict[str, Score]], seconds: dict[str, float]) -> None:
    columns = list(next(iter(figures.values())))
    table = Table(title=f"{corpus.name}: {corpus.about} (recall@5 / recall@10 / MRR)")
    table.add_column("search")
    first = next(iter(figures.values()))
    for column in columns:
        table.add_column(f"{column} ({first[column].questions})", justify="right")
    table.add_column("ms", justify="right")
    for label, row in figures.items():
        table.add_row(
            label,
            *(_row(row[of]) for of in columns),
            f"{1000 * seconds[label]:.0f}" if label in seconds else "",
        )
    console.print(table)


if __name__ == "__main__":
    raise SystemExit(main())
