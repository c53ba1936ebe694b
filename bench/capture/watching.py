"""`suture watch` as its user runs it: how fast it indexes Markdown files, and how soon a change can be found."""

import http.client
import json
import random
import resource
import string
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from bench.capture.command import SUTURE, variables
from bench.capture.english import english
from bench.timing import milliseconds

#: Chunks a second without embeddings, and the 95th percentile of a change in seconds.
GOAL_CHUNKS, GOAL_SECONDS = 200.0, 3.0
#: So many files fewer are indexed with embeddings, which take most of the time.
EMBEDDED = 20
_FILES_OF_A_DIRECTORY = 50
#: Paragraphs of a file, of 40 to 60 words each: about four chunks.
_PARAGRAPHS = 12
#: Seconds between two searches for a change, and for it at most.
_PAUSE, _MOST = 0.05, 60.0
#: Seconds until everything has been looked at, at most.
_FIRST_LOOK = 600.0

Row = dict[str, Any]


def measure(port: int, key: str, place: Path, files: int, runs: int) -> list[Row]:
    """The speed of indexing without and with embeddings, and how long `runs` new and changed files take to be found."""
    api = _Api(port, key)
    environment = variables(port, key, place / "watching")
    plain, embedded = place / "plain", place / "embedded"
    _write_files(plain, files)
    _write_files(embedded, max(1, files // EMBEDDED))
    rows = [
        _indexed(api, plain, environment, "--without-embeddings"),
        _indexed(api, embedded, environment),
    ]
    with _watching(plain, environment):
        # it is found only when everything has been looked at
        _seconds_until_found(api, plain / "first.md", _FIRST_LOOK)
        rows += [
            _found("a new file is found", [_new(api, plain, number) for number in range(runs)]),
            _found("a changed file is found", [_changed(api, plain, number % files) for number in range(runs)]),
        ]
    return rows


class _Api:
    """Requests over one kept connection."""

    def __init__(self, port: int, key: str) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self._headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}

    def ask(self, method: str, path: str, body: Any = None) -> dict[str, Any]:
        """What is answered. Raises SystemExit where it is refused."""
        sent = None if body is None else json.dumps(body)
        self._connection.request(method, f"/api/v1/{path}", sent, self._headers)
        response = self._connection.getresponse()
        said = response.read()
        if response.status >= 300:
            raise SystemExit(f"{path}: {response.status} {said[:300].decode(errors='replace')}")
        answer: dict[str, Any] = json.loads(said)
        return answer

    def files(self, name: str) -> Iterator[dict[str, Any]]:
        """Every file that the server knows of a watched directory."""
        query = {"session_id": f"watch:{name}", "limit": "200"}
        while True:
            page = self.ask("GET", f"files?{urlencode(query)}")
            yield from page["results"]
            if not page.get("next"):
                return
            query["cursor"] = page["next"]


def _indexed(api: _Api, directory: Path, environment: Mapping[str, str], *options: str) -> Row:
    """Index a directory that is new, by a process that ends when it has."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    command = [str(SUTURE), "watch", str(directory), "--once", "--log-json", *options]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    seconds, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise SystemExit(f"suture watch ended with {done.returncode}: {done.stderr[-2000:]}")
    chunks = [file["total_chunks"] for file in api.files(directory.name)]
    return {
        "case": f"{len(chunks):,} files indexed, {'without' if options else 'with'} embeddings",
        "figure": round(sum(chunks) / seconds, 1),
        "unit": "chunks/s",
        "goal": f">= {GOAL_CHUNKS:g}" if options else "",
        "chunks": sum(chunks),
        "seconds": round(seconds, 1),
        "watcher_cpu_seconds": round(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 1),
    }


def _found(case: str, seconds: list[float]) -> Row:
    figures = milliseconds(seconds)
    return {
        "case": f"{case}, p95",
        "figure": round(figures["p95"] / 1_000, 2),
        "unit": "s",
        "goal": f"< {GOAL_SECONDS:g}",
        "p50_s": round(figures["p50"] / 1_000, 2),
        "max_s": round(figures["max"] / 1_000, 2),
        "runs": len(seconds),
    }


def _new(api: _Api, directory: Path, number: int) -> float:
    return _seconds_until_found(api, directory / "new" / f"{number}.md", _MOST)


def _changed(api: _Api, directory: Path, number: int) -> float:
    return _seconds_until_found(api, _path(directory, number), _MOST)


def _seconds_until_found(api: _Api, path: Path, most: float) -> float:
    """Write a word that nothing has into a file; answers how long it takes until a search finds it."""
    word = "".join(random.choices(string.ascii_lowercase, k=16))
    path.parent.mkdir(exist_ok=True)
    with path.open("a") as file:
        file.write(f"\n\nThe name of the project is {word}.\n")
    written = time.perf_counter()
    while not api.ask("POST", "chunks/search", {"query": word, "mode": "keyword", "limit": 1})["chunks"]:
        if time.perf_counter() - written > most:
            raise SystemExit(f"What was written to a file was not found in {most:g} s.")
        time.sleep(_PAUSE)
    return time.perf_counter() - written


@contextmanager
def _watching(directory: Path, environment: Mapping[str, str]) -> Iterator[None]:
    """`suture watch`, until the block ends."""
    with subprocess.Popen(
        [str(SUTURE), "watch", str(directory)], env=environment, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL
    ) as process:
        try:
            yield
        finally:
            process.terminate()


def _path(directory: Path, number: int) -> Path:
    return directory / f"part{number // _FILES_OF_A_DIRECTORY}" / f"{number}.md"


def _write_files(directory: Path, count: int) -> None:
    """So many Markdown files, in directories of some."""
    chance = random.Random(directory.name)
    for number in range(count):
        path = _path(directory, number)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_markdown(chance, number))


def _markdown(chance: random.Random, number: int) -> str:
    parts = [f"# Notes {number}"]
    for paragraph in range(_PARAGRAPHS):
        text = english(chance)
        if paragraph % 4 == 0:
            parts.append(f"## Section {paragraph // 4 + 1}")
        # a list now and then
        parts.append("- " + text.replace(". ", ".\n- ") if paragraph % 4 == 3 else text)
    return "\n\n".join(parts) + "\n"
