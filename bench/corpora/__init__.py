"""The corpora of `make eval`, one file each. A file has a NAME and a `read(place)`; every file of this folder is used.

`place` is the value of the option `--NAME`, for a corpus whose data is not part of the project (NEEDS_PLACE).
"""

import importlib
import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Question:
    """A query, and the events (by source id) that answer it. `group` is left out as a whole when something is fitted,
    and limits the search of a library's BM25; `filters` are the search fields with the same effect."""

    text: str
    answers: frozenset[str]
    category: str
    group: str = ""
    filters: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Corpus:
    """Events in time order, each the body of `POST /events` with a `source_id`, and questions about them.

    Scores are computed for each category, for all, and, if `apart` names categories, for all others.
    """

    name: str
    about: str
    events: list[dict[str, Any]]
    questions: list[Question]
    #: The group of each event, by source id; an event without one is in the group "".
    groups: Mapping[str, str] = field(default_factory=dict)
    apart: frozenset[str] = frozenset()


class Source(Protocol):
    """A file of this folder."""

    NAME: str
    NEEDS_PLACE: bool

    def read(self, place: Path | None) -> Corpus:
        """Read the corpus. Raises ValueError, with a message for the user, if `place` cannot be read."""


def sources() -> dict[str, Source]:
    """The files of this folder, by corpus name."""
    modules = (importlib.import_module(f"{__name__}.{found.name}") for found in pkgutil.iter_modules(__path__))
    found: list[Any] = [module for module in modules if hasattr(module, "NAME")]
    return {source.NAME: source for source in sorted(found, key=lambda source: source.NAME)}


def message(source_id: str, ts: str, speaker: str, text: str, session_id: str, **about: Any) -> dict[str, Any]:
    """A message as an event; `about` adds fields of its content and, as `refs`, of the event."""
    refs = about.pop("refs", None)
    return {
        "source_id": source_id,
        "ts": ts,
        "session_id": session_id,
        "channel": "private",
        "actor_type": "human",
        "actor_id": speaker,
        "kind": "message",
        **({"refs": refs} if refs else {}),
        "content": {"text": text, **about},
    }
