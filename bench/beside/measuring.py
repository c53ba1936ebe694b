"""Asks every system the same in turn, and compares the times with those of Suture over HTTP."""

import contextlib
import importlib
import importlib.metadata
import importlib.util
import itertools
import random
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bench.beside import memories as loaded
from bench.beside import systems
from bench.beside.systems import Checkpoint, System
from bench.corpus import FUNCTION_WORDS, Corpus, vocabulary
from bench.gates import percentiles
from bench.generate import Tenant
from bench.report import Rows
from bench.stack import Stack

#: The distributions of the extra `beside`, with a module of each.
PACKAGES = {
    "langgraph": "langgraph.graph",
    "langgraph-checkpoint-postgres": "langgraph.store.postgres",
    "mem0ai": "mem0",
    "asyncpg": "asyncpg",
}
INSTALL = ".venv/bin/pip install -e '.[beside]'"
#: At least as many runs are not counted. Of many memories, one for each thousand, within 10 s: each search reads other
#: rows, until all are cached.
WARMING = 10
MAX_SECONDS = 20.0
#: Threads that have checkpoints, and how many each has.
THREADS, OF_THREAD = 20, 10
#: Bytes of text in a checkpoint.
STATE = 10_000
#: The ranks of the words to search for: neither stop words nor rare.
RANKS = (len(FUNCTION_WORDS.split()), 5_000)


def missing() -> str | None:
    """The line that says how to install the packages of the others; None if they are installed."""
    if all(_is_installed(module) for module in PACKAGES.values()):
        return None
    return f"`beside` needs LangGraph's, mem0's and asyncpg's packages: {INSTALL}"


def _is_installed(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # its parent is missing
        return False


def versions(stack: Stack) -> dict[str, str]:
    """What was compared."""
    with stack.connect() as connection:
        asked = "SELECT current_setting('server_version'), extversion FROM pg_extension WHERE extname = 'vector'"
        postgres, vector = connection.execute(asked).fetchall()[0]
    installed = {name: importlib.metadata.version(name) for name in PACKAGES}
    return {"PostgreSQL": postgres, "pgvector": vector, **installed}


def measure(stack: Stack, tenant: Tenant, runs: int, say: Callable[[str], None]) -> Rows:
    """A row for each operation of each system, with at least `runs` alternating runs."""
    memories = loaded.read(stack, tenant.slug)
    with _systems(stack, tenant, memories, say) as others:
        draws = _draws(memories, tenant)
        for system in others:
            if (store := system.operations.get(systems.STORE)) is not None:
                for one in itertools.islice(_checkpoints(), THREADS * OF_THREAD):
                    store(one)
        warming = max(WARMING, len(memories.ids) // 1_000)
        return [row for operation, draw in draws.items() for row in _in_turn(operation, draw, others, runs, warming)]


@contextlib.contextmanager
def _systems(
    stack: Stack, tenant: Tenant, memories: loaded.Memories, say: Callable[[str], None]
) -> Iterator[Sequence[System]]:
    """All systems, loaded; Suture over HTTP is the first."""
    from bench.beside.by_hand import ByHand
    from bench.beside.langgraph import LangGraph
    from bench.beside.mem0 import Mem0
    from bench.beside.suture import Functions, OverHttp

    embedder = loaded.Embedder(memories)
    with TemporaryDirectory() as place, loaded.new_database(stack) as url, contextlib.ExitStack() as closing:
        made: list[System] = []
        for make in (
            lambda: OverHttp(stack, tenant, memories),
            lambda: Functions(stack, tenant, embedder),
            lambda: ByHand(url, memories, embedder),
            lambda: LangGraph(url, memories, embedder),
            lambda: Mem0(url, Path(place), memories, embedder),
        ):
            started = time.monotonic()
            system: System = make()
            closing.callback(system.close)
            made.append(system)
            say(f"{time.monotonic() - started:5.0f} s  {system.name} has {len(memories.ids):,} memories")
        with loaded.connect(url) as connection:
            connection.execute("VACUUM (ANALYZE)")
        yield made


def _draws(memories: loaded.Memories, tenant: Tenant) -> dict[str, Callable[[], Any]]:
    """For each operation, a source of the values to ask about: never the same text twice."""
    chance, corpus = random.Random(7), Corpus("beside", tenant.chunks)
    texts = dict(zip(map(str, memories.ids), memories.texts, strict=True))
    ids = [one for one in tenant.ids if one in texts]
    readable = {word for one in ids for word in texts[one].split()}
    known = [word for word in vocabulary()[slice(*RANKS)] if word in readable]
    words = iter(chance.sample(known, len(known)))
    checkpoints = _checkpoints(THREADS)
    said = readable - set(FUNCTION_WORDS.split())

    def question() -> str:
        """A question with a word that occurs: each system finds something."""
        asked = iter(corpus.question, None)
        return next(text for text in asked if not said.isdisjoint(text.split()))

    def number() -> int:
        return chance.randrange(min(systems.ASKED, len(memories.ids)))

    return {
        systems.HYBRID: question,
        systems.BY_MEANING: question,
        systems.BY_WORDS: lambda: next(words),
        systems.GET: lambda: chance.choice(ids),
        systems.NEWEST: lambda: None,
        systems.PUT: lambda: [corpus.text()],
        systems.PUT_MANY: lambda: [corpus.text() for _ in range(systems.AT_ONCE)],
        systems.ITEM: number,
        systems.ITEMS_ABOUT: question,
        systems.NEWEST_ITEMS: lambda: None,
        systems.ADD: corpus.text,
        systems.MEMORY: number,
        systems.MEMORIES_ABOUT: question,
        systems.MEMORIES: lambda: None,
        systems.RESUME: lambda: f"thread-{chance.randrange(THREADS)}",
        systems.RECORD: corpus.event,
        systems.STORE: lambda: next(checkpoints),
        systems.RUN: lambda: f"run-{uuid.uuid4()}",
        systems.HISTORY: lambda: systems.LONG_THREAD,
    }


def _checkpoints(first: int = 0) -> Iterator[Any]:
    """Checkpoints of one thread after the other, from this thread on."""
    from langgraph.checkpoint.base import empty_checkpoint

    for number in itertools.count(first * OF_THREAD):
        messages = Corpus(number).text()
        while len(messages) < STATE:
            messages += f" {Corpus(f'{number} {len(messages)}').text()}"
        content = empty_checkpoint() | {
            "channel_values": {"messages": messages[:STATE]},
            "channel_versions": {"messages": f"{number + 1:032}.0"},
        }
        yield Checkpoint(f"thread-{number // OF_THREAD}", content)


def _in_turn(operation: str, draw: Callable[[], Any], others: Sequence[System], runs: int, warming: int) -> Rows:
    """Run it at least `runs` times in each system, from the first to the last and back; up to twenty times as often
    within 20 s. Up to `warming` runs before are not counted."""
    able = [system for system in others if operation in system.operations]
    seconds: dict[str, list[float]] = {system.name: [] for system in able}
    _rounds(operation, draw, able, seconds, least=WARMING, most=warming, within=MAX_SECONDS / 2)
    for taken in seconds.values():
        taken.clear()
    _rounds(operation, draw, able, seconds, least=runs, most=20 * runs, within=MAX_SECONDS)
    measured = {name: percentiles(taken) for name, taken in seconds.items()}
    base = measured[able[0].name]["p50_ms"]
    return [
        {"operation": operation, "system": name, **ms, "ratio": ratio(ms["p50_ms"], base)}
        for name, ms in measured.items()
    ]


def _rounds(
    operation: str,
    draw: Callable[[], Any],
    able: Sequence[System],
    seconds: Mapping[str, list[float]],
    *,
    least: int,
    most: int,
    within: float,
) -> None:
    """Run it in all systems in turn, and add the seconds of each. Raises SystemExit if one finds nothing."""
    until = time.monotonic() + within
    for number in range(most):
        if number >= least and time.monotonic() > until:
            break
        value = draw()
        for system in able if number % 2 else reversed(able):
            started = time.perf_counter()
            found = system.operations[operation](value)
            taken = time.perf_counter() - started
            if not found:
                raise SystemExit(f"{system.name} found nothing: {operation}, {value!r:.200}")
            seconds[system.name].append(taken)


def ratio(ms: float, base: float) -> float:
    """How many times as long as the base: two digits that count."""
    return float(f"{ms / base:.2g}")


def table(rows: Rows) -> Rows:
    """The rows as one for each operation and a column for each system: p50 / p95 in ms, and the ratio."""
    names = list(dict.fromkeys(row["system"] for row in rows))
    made: dict[str, dict[str, Any]] = {}
    for row in rows:
        cells = made.setdefault(row["operation"], {"operation": row["operation"]} | dict.fromkeys(names, ""))
        times = "" if row["system"] == names[0] else f" ({row['ratio']:g}x)"
        cells[row["system"]] = f"{_ms(row['p50_ms'])} / {_ms(row['p95_ms'])}{times}"
    return list(made.values())


def _ms(value: float) -> str:
    return f"{value:.1f}" if value < 100 else f"{value:,.0f}"
