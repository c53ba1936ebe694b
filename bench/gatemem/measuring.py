"""Records episodes over the HTTP API and judges the contexts that the checkpoints' people get, beside two baselines."""

import asyncio
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import accumulate, islice
from typing import Any

from bench import bm25, load
from bench.gatemem.episodes import Checkpoint, Episode, Kind, judge
from bench.gatemem.mappings import MAPPINGS, Plan
from bench.gatemem.provisioning import ADMIN, AGENT, REVIEWER, Provisioner
from bench.stack import Stack
from governance import tokens
from memory_project.environment import BASE_DIR

#: The sizes of contexts, in tokens.
SIZES = (1_500, 4_000)
BATCH = 200
#: Episodes that are recorded at the same time.
CALLERS = 3
#: As many hits as a context of 4,000 tokens has room for.
LIMIT = 200
EVERYTHING = "everything"
BASELINES = ("BM25 of a library", EVERYTHING)


@dataclass(frozen=True, slots=True)
class Judged:
    """The verdict on the context of a checkpoint (bench.gatemem.episodes.judge)."""

    memory: str
    tokens: int
    episode: str
    number: int
    kind: Kind
    verdict: bool | None


@dataclass(slots=True)
class Measured:
    """All verdicts, and how the server answered the values to forget."""

    judged: list[Judged] = field(default_factory=list)
    values: Counter[str] = field(default_factory=Counter)


def measure(stack: Stack, episodes: Sequence[Episode], names: Iterable[str]) -> Measured:
    """Measure mappings and baselines, by name. Each episode is recorded in a tenant of its own for each mapping."""
    measured = Measured()
    names = list(names)
    for name in names:
        if name in BASELINES:
            for episode in episodes:
                measured.judged += baseline(name, episode)
    todo = [(name, episode) for episode in episodes for name in names if name in MAPPINGS]
    if todo:
        provisioner = Provisioner(BASE_DIR, stack.environment)
        try:
            asyncio.run(_together(stack.port, provisioner, todo, measured))
        finally:
            provisioner.stop()
    return measured


async def _together(port: int, provisioner: Provisioner, todo: list[tuple[str, Episode]], measured: Measured) -> None:
    waiting = iter(enumerate(todo))

    async def caller() -> None:
        for number, (name, episode) in waiting:
            await _Recording(port, provisioner, f"episode-{number}", name, episode, measured).run()

    await asyncio.gather(*(caller() for _ in range(CALLERS)))


class _Recording:
    """The recording of one episode, in the order of its turns, with its checkpoints between them."""

    def __init__(
        self, port: int, provisioner: Provisioner, slug: str, name: str, episode: Episode, measured: Measured
    ) -> None:
        keys = provisioner.provision(slug)
        self._agent, self._reviewer, self._admin = (
            load.Connection(port, keys[one]) for one in (AGENT, REVIEWER, ADMIN)
        )
        self._provisioner, self._slug = provisioner, slug
        self._name, self._episode, self._measured = name, episode, measured
        self._plan: Plan = MAPPINGS[name](episode)
        #: Its last turn was said yesterday.
        self._shift = datetime.now(UTC).replace(tzinfo=None) - timedelta(days=1) - max(one.ts for one in episode.turns)

    async def run(self) -> None:
        """Record the episode, and judge its checkpoints."""
        for body in self._plan.rules:
            await _done(self._admin, "audience-rules", body)
        for body in self._plan.relations:
            await _done(self._reviewer, "relations", body)
        waiting: list[dict[str, Any]] = []
        checkpoints = list(enumerate(self._episode.checkpoints))
        for place in range(len(self._episode.turns)):
            waiting.append(self._event(place))
            here = [(number, one) for number, one in checkpoints if one.place == place]
            values = self._plan.values.get(place, [])
            if not here and not values and place + 1 < len(self._episode.turns):
                continue
            for batch in _batches(waiting):
                await _done(self._agent, "events/batch", {"events": batch})
            waiting.clear()
            for value in values:
                await self._forget(value)
            if here:
                await asyncio.to_thread(self._provisioner.embed, self._slug)
            for number, checkpoint in here:
                await self._judge(number, checkpoint)
        for connection in (self._agent, self._reviewer, self._admin):
            connection.close()

    def _event(self, place: int) -> dict[str, Any]:
        turn, told = self._episode.turns[place], self._plan.of_turns[place]
        return {
            "session_id": f"day-{turn.ts.date()}",
            "channel": "private",
            "actor_type": "human",
            "actor_id": turn.speaker,
            "kind": "message",
            "ts": f"{(turn.ts + self._shift).isoformat(timespec='milliseconds')}Z",
            **told,
            "content": {"text": turn.text, **told.get("content", {})},
        }

    async def _forget(self, value: str) -> None:
        """Forget a value, if memory says it; a common one only if a person confirms it."""
        asked = {"op": "forget", "value": value, "reason": "Asked for"}
        answer = await self._reviewer.ask(("POST", "values/preview", asked))
        if answer.is_done:
            body = {"token": answer.json()["token"], "confirm": self._plan.confirms}
            answer = await self._reviewer.ask(("POST", "values", body))
        if answer.status >= 500:
            raise SystemExit(str(answer))
        found = answer.json()
        name = found["status"] if answer.is_done else found["type"].rpartition(":")[2]
        self._measured.values[f"{self._name}: {name}"] += 1

    async def _judge(self, number: int, checkpoint: Checkpoint) -> None:
        asker = "" if self._is_open else self._episode.people[checkpoint.asker].principal
        body = {"query": checkpoint.query[:2000], "limit": LIMIT}
        found = await _done(self._agent, "chunks/search", body, asker)
        texts = [chunk["text"] for chunk in found["chunks"]]
        self._measured.judged += _judged(self._name, self._episode, number, texts)

    @property
    def _is_open(self) -> bool:
        """Whether nothing has an audience."""
        return not self._plan.rules and not any("audience" in one for one in self._plan.of_turns)


def _batches(events: list[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    left = iter(events)
    while batch := list(islice(left, BATCH)):
        yield batch


async def _done(connection: load.Connection, path: str, body: dict[str, Any], on_behalf_of: str = "") -> Any:
    answer = await connection.ask(("POST", path, body), on_behalf_of)
    if not answer.is_done:
        raise SystemExit(str(answer))
    return answer.json()


def baseline(name: str, episode: Episode) -> Iterator[Judged]:
    """What anyone gets without permissions: all turns up to the checkpoint, or the best by BM25 for the query."""
    for number, checkpoint in enumerate(episode.checkpoints):
        texts = [turn.text for turn in episode.turns[: checkpoint.place + 1]]
        if name == EVERYTHING:
            for size in SIZES:
                verdict = judge(episode, checkpoint, texts)
                yield Judged(name, size, episode.id, number, checkpoint.kind, verdict)
        else:
            best = [texts[place] for place in bm25.order(texts, checkpoint.query)]
            yield from _judged(name, episode, number, best)


def _judged(name: str, episode: Episode, number: int, texts: Sequence[str]) -> Iterator[Judged]:
    """The verdicts on the contexts of the first texts that fit into each size."""
    checkpoint = episode.checkpoints[number]
    totals = list(accumulate(tokens.count(texts)))
    for size in SIZES:
        verdict = judge(episode, checkpoint, texts[: bisect_right(totals, size)])
        yield Judged(name, size, episode.id, number, checkpoint.kind, verdict)
