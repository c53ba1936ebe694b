"""`Memory`: memory of an application, with blocking calls."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import update_wrapper
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

import httpx

from suture_client.errors import Failed
from suture_client.http import TIMEOUT, Api, Call
from suture_client.memory import notices as listening
from suture_client.memory import requests
from suture_client.memory import tools as model_tools
from suture_client.memory.face import PAUSES, Face, credentials_for
from suture_client.memory.records import (
    ChangeRecord,
    Context,
    HitRecord,
    MemoryRecord,
    Project,
    RememberedRecord,
    Subject,
    Whoami,
    values_of,
)
from suture_client.memory.steps import Answer, Item, Iteration, NextLine, Open, Pause, Steps, following

P = ParamSpec("P")
A = TypeVar("A")
R = TypeVar("R")
#: A face, or something that belongs to one.
Owner = Any


def _method(
    steps: Callable[Concatenate[Any, P], Steps[A]], read: Callable[["Memory", A], R]
) -> Callable[Concatenate[Owner, P], R]:
    """Make a method that runs steps and reads their result."""

    def method(self: Owner, /, *arguments: P.args, **named: P.kwargs) -> R:
        face: Memory = self.face
        return read(face, face.run(steps(self, *arguments, **named)))

    update_wrapper(method, steps)
    return method


def _listing(
    steps: Callable[Concatenate[Any, P], Iteration[A]], read: Callable[["Memory", A], R]
) -> Callable[Concatenate[Owner, P], Iterator[R]]:
    """Make a method that iterates over the items of steps."""

    def method(self: Owner, /, *arguments: P.args, **named: P.kwargs) -> Iterator[R]:
        face: Memory = self.face
        for one in face._iterate(steps(self, *arguments, **named)):
            yield read(face, one)

    update_wrapper(method, steps)
    return method


@dataclass(frozen=True, kw_only=True)
class _Owned:
    """Something that belongs to a face, whose connection its methods use."""

    face: "Memory" = field(repr=False, compare=False)

    @classmethod
    def read(cls, face: "Memory", answer: Answer) -> Self:
        """Read an answer."""
        return cls(face=face, **values_of(cls, answer))


@dataclass(frozen=True, kw_only=True)
class Change(_Owned, ChangeRecord):
    """A change of memory."""

    wait = _method(requests.wait, lambda face, verdict: verdict)


@dataclass(frozen=True, kw_only=True)
class _Addressed(_Owned):
    """A memory with an id."""

    id: str

    refresh = _method(requests.refresh_item, lambda face, answer: MemoryItem.read(face, answer))
    update = _method(requests.update_item, lambda face, answer: Updated.read(face, answer))
    correct = _method(requests.correct_item, Change.read)
    forget = _method(requests.forget_item, Change.read)


@dataclass(frozen=True, kw_only=True)
class MemoryItem(_Addressed, MemoryRecord):
    """A memory."""


@dataclass(frozen=True, kw_only=True)
class Updated(Change):
    """A change of one memory, and the memory as it is now."""

    memory: MemoryItem

    @classmethod
    def read(cls, face: "Memory", answer: Answer) -> Self:
        memory = MemoryItem.read(face, answer["memory"])
        return cls(face=face, memory=memory, status=answer["status"], edit_ids=tuple(answer["edit_ids"]))


@dataclass(frozen=True, kw_only=True)
class Remembered(_Addressed, RememberedRecord):
    """A memory that was recorded."""


@dataclass(frozen=True, kw_only=True)
class Hit(MemoryItem, HitRecord):
    """A memory that a search found."""


class Memory(Face):
    """The memory of an application on one server, with one key. It is thread-safe, and keeps its connections until
    `close()` or the end of a `with` block."""

    def __init__(
        self,
        url: str | None = None,
        key: str | None = None,
        *,
        on_behalf_of: str | None = None,
        timeout: float | httpx.Timeout = TIMEOUT,
        pauses: Sequence[float] = PAUSES,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        """`url` and `key` default to SUTURE_URL and SUTURE_KEY, else to the configuration file. `on_behalf_of` is whom
        the agent asks for, such as patient:ada. `timeout` and `pauses` before repeated attempts are in seconds.
        `transport` replaces the connection to the server, such as by a proxy or a `FakeServer`. Raises Failed for an
        invalid address or key."""
        url, key = credentials_for(url, key, transport)
        super().__init__(on_behalf_of)
        self._api = Api(url, key, timeout=timeout, pauses=pauses, transport=transport).__enter__()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections, also those of the faces that `about` made."""
        self._api.close()

    remember = _method(requests.remember, Remembered.read)
    remember_many = _method(requests.remember_many, lambda face, answers: [Remembered.read(face, a) for a in answers])
    recall = _method(requests.recall, lambda face, answers: [Hit.read(face, answer) for answer in answers])
    get = _method(requests.get, MemoryItem.read)
    update = _method(requests.update, Updated.read)
    forget = _method(requests.forget, Change.read)
    context = _method(requests.context, lambda face, answer: Context.of(answer))
    whoami = _method(requests.whoami, lambda face, answer: Whoami.of(answer))
    tools = _method(model_tools.tools, lambda face, definitions: definitions)
    call = _method(model_tools.call, lambda face, text: text)
    memories = _listing(requests.memories, MemoryItem.read)
    subjects = _listing(requests.subjects, lambda face, answer: Subject.of(answer))
    projects = _listing(requests.projects, lambda face, answer: Project.of(answer))
    export = _listing(requests.export, lambda face, answer: answer)
    notices = _listing(listening.notices, lambda face, notice: notice)
    verdicts = _listing(listening.verdicts, lambda face, verdict: verdict)

    def run(self, steps: Steps[R]) -> R:
        """Run steps to their result. Raises what they raise."""
        try:
            step = next(steps)
            while True:
                try:
                    answer = self._perform(step)
                except Failed as failed:
                    step = steps.throw(failed)
                else:
                    step = steps.send(answer)
        except StopIteration as end:
            result: R = end.value
            return result

    def _perform(self, step: Call | Pause) -> Answer:
        if isinstance(step, Pause):
            time.sleep(step.seconds)
            return {}
        return self._api.perform(step)

    def _iterate(self, steps: Iteration[R]) -> Iterator[R]:
        """Run the steps of an iteration, and yield its items. Raises what they raise."""
        with ExitStack() as stack:
            lines: Iterator[str] | None = None
            answer: Any = None  # nothing, which starts the steps
            failed: Failed | None = None
            while (step := following(steps, answer, failed)) is not None:
                answer, failed = {}, None
                if isinstance(step, Item):
                    yield step.value
                    continue
                try:
                    if isinstance(step, Open):
                        stack.close()
                        lines = stack.enter_context(self._api.lines(step.call))
                    elif isinstance(step, NextLine):
                        answer = {"line": next(lines, None) if lines else None}
                    else:
                        answer = self._perform(step)
                except Failed as failure:
                    failed = failure
