"""The result of a fault, from the clients' results."""

import itertools
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from bench.faults.clients import Answer

#: No response: the server was down, or the connection broke.
GONE = frozenset(
    {"ConnectionRefusedError", "ConnectionResetError", "RemoteDisconnected", "BrokenPipeError", "IncompleteRead"}
)


@dataclass
class Outcome:
    """The result of a fault. It passed if `faults_found` is empty."""

    name: str
    acknowledged: int = 0
    errors: dict[str, int] = field(default_factory=dict)
    reads_meanwhile: int = 0
    #: In seconds: the longest time without a successful write, the time from the end of the fault until all was well,
    #: the longest time in which readiness contradicted the writes, and its slowest response.
    longest_gap: float = 0.0
    recovery: float = 0.0
    wrong: float = 0.0
    slowest_probe: float = 0.0
    faults_found: list[str] = field(default_factory=list)
    skipped: str = ""


def kind_of(answer: Answer) -> str:
    """The name of an unsuccessful result."""
    if answer.status == 0:
        return "gone" if answer.reason in GONE else f"no answer ({answer.reason})"
    if answer.status == 503:
        return "503, try again" if answer.retries else "503"
    return str(answer.status)


#: Results that clients may get while something is broken.
ALLOWED = frozenset({"gone", "503", "503, try again", "no answer (TimeoutError)"})


def errors_of(answers: Iterable[Answer]) -> dict[str, int]:
    """The number of results by kind."""
    return dict(Counter(kind_of(answer) for answer in answers if not answer.is_done))


def longest_gap(answers: Iterable[Answer], begin: float, end: float) -> float:
    """The longest time between `begin` and `end` without a successful result."""
    ends = sorted(answer.at + answer.seconds for answer in answers if answer.is_done)
    marks = [begin, *(at for at in ends if begin < at < end), end]
    return max(later - earlier for earlier, later in itertools.pairwise(marks))


#: The readiness checks of the broker, which only jobs need: requests are answered without it.
_OF_JOBS = frozenset({"broker", "worker", "seals", "embedding"})


def is_about_jobs(probe: Answer) -> bool:
    """Whether readiness failed only because of jobs. Writes cannot confirm this."""
    return bool(probe.failed) and probe.failed.keys() <= _OF_JOBS


def longest_wrong(probes: Sequence[Answer], writes: Sequence[Answer]) -> float:
    """The longest time in which readiness was good and every write failed, or readiness was bad and every write
    succeeded: from one write to another, without a write or a probe in between that disagrees."""
    moments = [(answer.at + answer.seconds, "probe", answer.is_done) for answer in probes]
    moments += [(answer.at, "write", answer.is_done) for answer in writes]
    longest = 0.0
    said = begun = None
    for at, what, is_done in sorted(moments):
        if what == "probe":
            if is_done != said:
                begun = None
            said = is_done
        elif said is not None and is_done != said:
            begun = at if begun is None else begun
            longest = max(longest, at - begun)
        else:
            begun = None
    return longest


def verdict_of(found: Outcome) -> str:
    """Whether the fault was survived, or why not."""
    return "; ".join(found.faults_found) or (f"skipped: {found.skipped}" if found.skipped else "ok")
