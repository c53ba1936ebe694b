"""Records episodes over the HTTP API and judges the contexts that the checkpoints' people get, beside two baselines."""

import asyncio
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any

from bench import bm25, load
from bench.gatemem.episodes import Checkpoint, Episode, Kind, judge
from bench.gatemem import provisioning
from bench.gatemem.mappings import MAPPINGS, Plan
from bench.gatemem.provisioning import ADMIN, AGENT, REVIEWER
from bench.stack import Stack
from memory_project.environment import BASE_DIR

#: The sizes of contexts, in tokens.
SIZES = (1_500, 4_000)
BATCH = 200
#: Episodes that are recorded at the same time.
CALLERS = 3
#: Fields of a context bundle with words that its reader gets.
_WORDS = frozenset({"text", "decision", "rationale", "note", "title"})
BASELINES = ("BM25 of a library", "everything")


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
                measured.judged += _baseline(name, episode)
    todo = [(name, episode) for name in names if name in MAPPINGS for episode in episodes]
    if todo:
        keys = _provisioned(stack, [f"episode-{number}" for number in range(len(todo))])
        asyncio.run(_together(stack.port, list(keys.values()), todo, measured))
    return measured


async def _together(
    port: int, keys: list[dict[str, str]], todo: list[tuple[str, Episode]], measured: Measured
) -> None:
    waiting = iter(zip(keys, todo, strict=True))

    async def caller() -> None:
        for of_tenant, (name, episode) in waiting:
            await _Recording(port, of_tenant, name, episode, measured).run()

    await asyncio.gather(*(caller() for _ in range(CALLERS)))


def _provisioned(stack: Stack, slugs: list[str]) -> dict[str, dict[str, str]]:
    command = [sys.executable, "-m", provisioning.__name__, *slugs]
    done = subprocess.run(command, cwd=BASE_DIR, env=stack.environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr[-2000:])
    keys: dict[str, dict[str, str]] = json.loads(done.stdout)
    return keys


class _Recording:
    """The recording of one episode, in the order of its turns, with its checkpoints between them."""

    def __init__(self, port: int, keys: dict[str, str], name: str, episode: Episode, measured: Measured) -> None:
        self._agent, self._reviewer, self._admin = (
            load.Connection(port, keys[one]) for one in (AGENT, REVIEWER, ADMIN)
        )
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
        preview = await self._reviewer.ask(("POST", "values/preview", asked))
        if preview.is_done:
            body = {"token": preview.json()["token"], "confirm": self._plan.confirms}
            preview = await self._reviewer.ask(("POST", "values", body))
        told = preview.json()
        answer = told["status"] if preview.is_done else told["type"].rpartition(":")[2]
        self._measured.values[f"{self._name}: {answer}"] += 1

    async def _judge(self, number: int, checkpoint: Checkpoint) -> None:
        asker = self._episode.people[checkpoint.asker].principal
        for size in SIZES:
            body = {"session_id": "ask", "channel": "private", "query": checkpoint.query[:2000], "max_tokens": size}
            body |= self._plan.of_questions[number] if self._plan.of_questions else {}
            answer = await _done(self._agent, "acb/build", body, "" if self._is_open else asker)
            self._tell(number, checkpoint, size, list(_words(answer["acb"])))

    @property
    def _is_open(self) -> bool:
        """Whether nothing has an audience."""
        return not self._plan.rules and not any("audience" in one for one in self._plan.of_turns)

    def _tell(self, number: int, checkpoint: Checkpoint, size: int, texts: list[str]) -> None:
        verdict = judge(self._episode, checkpoint, texts)
        self._measured.judged.append(
            Judged(self._name, size, self._episode.id, number, checkpoint.kind, verdict)
        )


def _batches(events: list[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    left = iter(events)
    while batch := list(islice(left, BATCH)):
        yield batch


async def _done(connection: load.Connection, path: str, body: dict[str, Any], on_behalf_of: str = "") -> Any:
    answer = await connection.ask(("POST", path, body), on_behalf_of)
    if not answer.is_done:
        raise SystemExit(str(answer))
    return answer.json()


def _words(value: Any, name: str = "") -> Iterator[str]:
    """All words of memory in a context bundle."""
    if isinstance(value, dict):
        for key, one in value.items():
            yield from _words(one, key)
    elif isinstance(value, list):
        for one in value:
            yield from _words(one, name)
    elif isinstance(value, str) and name in _WORDS:
        yield value


def _baseline(name: str, episode: Episode) -> Iterator[Judged]:
    """What anyone gets who asks without a permission: all turns up to the checkpoint, or the best by BM25 for the query."""
    from governance import tokens

    counts = tokens.count([turn.text for turn in episode.turns])
    for number, checkpoint in enumerate(episode.checkpoints):
        texts = [turn.text for turn in episode.turns[: checkpoint.place + 1]]
        order = range(len(texts)) if name == "everything" else bm25.order(texts, checkpoint.query)
        for size in SIZES:
            found, left = [], size
            for place in order:
                left -= counts[place]
                if left < 0 and name != "everything":
                    break
                found.append(texts[place])
            yield Judged(name, size, episode.id, number, checkpoint.kind, judge(episode, checkpoint, found))
