"""What an application tells the server about an episode: once, with each turn, and the values that it forgets."""

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

from bench.gatemem import asked, by_rules, told
from bench.gatemem.episodes import Episode


@dataclass(frozen=True, slots=True)
class Plan:
    """What the server is told about one episode: additional fields of the event of each turn, and values to forget once
    a turn is recorded."""

    of_turns: list[dict[str, Any]]
    values: dict[int, list[str]]
    #: Bodies of `POST /relations` and of `POST /audience-rules`.
    relations: list[dict[str, Any]] = field(default_factory=list)
    rules: list[dict[str, Any]] = field(default_factory=list)
    #: Whether a person confirms to forget a common value, which a rule about words may have found by mistake.
    confirms: bool = False


def told_both(episode: Episode) -> Plan:
    """Audiences and values by the annotations."""
    hearers = told.hearers(episode)
    everyone = len(episode.people)
    return Plan(
        of_turns=[
            {"audience": "default"}
            if len(people) == everyone
            else {"audience": {"principals": sorted(episode.people[one].principal for one in people)}}
            for people in hearers
        ],
        values=told.forgotten(episode),
        confirms=True,
    )


def ruled(episode: Episode) -> Plan:
    """Audiences by relations and roles, and values by the words of requests."""
    stated = by_rules.stated(episode)
    roles = {role for audience in stated.audiences.values() for role in audience.get("roles", ())}
    members = [
        by_rules.Relation(person.principal, "member", f"role:{person.role}")
        for person in episode.people.values()
        if person.role in roles
    ]
    return Plan(
        of_turns=[{"content": {"scope": "user", **_subject(one)}} for one in stated.subjects],
        values={place: values for place, turn in enumerate(episode.turns) if (values := asked.values(turn.text))},
        relations=[{**asdict(one), "reason": "As the episode states it"} for one in (*stated.relations, *members)],
        rules=[
            {"subject_type": subject_type, "audience": audience, "reason": "Those who work with such a subject"}
            for subject_type, audience in stated.audiences.items()
        ],
    )


def _subject(principal: str) -> dict[str, str]:
    subject_type, _, subject_id = principal.partition(":")
    return {"subject_type": subject_type, "subject_id": subject_id}


def channels_only(episode: Episode) -> Plan:
    """One channel, which everyone may read; values by the words of requests."""
    return Plan(of_turns=[{} for _ in episode.turns], values=ruled(episode).values)


MAPPINGS: dict[str, Callable[[Episode], Plan]] = {
    "audience and values told": told_both,
    "by rules": ruled,
    "channels only": channels_only,
}
