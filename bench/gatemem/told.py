"""Whom an application would let hear each turn, and the values that it would forget, by the annotations: as an
application knows it from its own forms and permissions."""

import re
from collections import defaultdict

from bench.gatemem.episodes import Episode, forbidden, says

_ASKS = re.compile(r"(?i)\b(?:delete|deleted|remove|forget|erase|purge|clear|retire|wipe|discard|revoke)\w*\b")


def hearers(episode: Episode) -> list[set[str]]:
    """For each turn, the people who may know it: all, except those whose checkpoints forbid something that it says."""
    heard = [set(episode.people) for _ in episode.turns]
    for checkpoint in episode.checkpoints:
        if checkpoint.kind == "privacy":
            for people, turn in zip(heard, episode.turns, strict=True):
                if any(says(turn.text, item) for item in checkpoint.forbidden):
                    people.discard(checkpoint.asker)
    return heard


def forgotten(episode: Episode) -> dict[int, list[str]]:
    """The values to forget after a turn, by its place: the first that says the value and asks for a deletion; without
    one, that of the first checkpoint by which the value is deleted."""
    latest: dict[str, int] = {}
    for checkpoint in episode.checkpoints:
        if checkpoint.kind == "safety":
            for item in forbidden(episode, checkpoint):
                latest.setdefault(item, checkpoint.place)
    found: defaultdict[int, list[str]] = defaultdict(list)
    for value, last in latest.items():
        asking = (
            place
            for place, turn in enumerate(episode.turns[: last + 1])
            if says(turn.text, value) and _ASKS.search(turn.text)
        )
        found[next(asking, last)].append(value)
    return dict(found)
