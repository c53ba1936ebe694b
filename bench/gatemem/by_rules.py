"""Relations, audience rules, and the subject of each turn, from the people and relations of an episode and the words of
its turns. Nothing comes from the checkpoints.

An application would state the relations and rules once, and give each record its subject. The rules say who may know a
record: its subject, those who are responsible for the subject or take part in it, and the roles that work with all such
subjects. Relatives, delegates, contractors, guests and services may not.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from bench.gatemem.episodes import Episode

#: The type of the main subject of an episode.
SUBJECT_TYPES = {"medical": "patient", "office": "project", "education": "student", "household": "household"}
PROGRAM = "program"
#: Roles that work with all subjects of a type.
ROLES = {
    "patient": ["lab_tech", "nurse", "pharmacist", "scheduler", "social_worker"],
    "household": ["primary_resident"],
}
#: Types whose subject is a person, who may know the records about them.
PEOPLE = frozenset({"patient", "student"})
#: Relations of those who are responsible for a subject, or take part in it.
RESPONSIBLE = re.compile(
    r"_(?:clinician|owner|reviewer|sponsor|lead|chair|supervisor)$|^(?:advisor|faculty|course)_|^(?:project|program)_member$"
    r"|^it_support$"
)
_PRINCIPALS = ("principal_id", "clinician_id", "family_id", "guest_id")
_OBJECTS = ("patient_id", "project_id", "for_principal_id", "case_id", "program_id", "household_id")


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation of the tenant."""

    principal: str
    relation: str
    object: str


@dataclass(frozen=True, slots=True)
class Stated:
    """What the application states: relations, the audience of records about each type of subject, and the subject of
    each turn."""

    relations: list[Relation]
    audiences: dict[str, dict[str, list[str]]]
    subjects: list[str]


def stated(episode: Episode) -> Stated:
    """What an application would state about an episode."""
    main_type = SUBJECT_TYPES[episode.domain]
    relations = list(dict.fromkeys(_relations(episode)))
    types = {main_type, *(type_of(one.object) for one in relations if type_of(one.object) == PROGRAM)}
    audiences = {one: _audience(one, relations) for one in sorted(types)}
    subjects = _Subjects(episode, relations, main_type)
    return Stated(
        relations,
        {name: audience for name, audience in audiences.items() if audience},
        [subjects.of(turn.speaker, turn.text) for turn in episode.turns],
    )


def type_of(principal: str) -> str:
    """The type in `type:id`."""
    return principal.partition(":")[0]


def _relations(episode: Episode) -> Iterator[Relation]:
    """The relations of an episode. One to a case is to the student whose case it is."""
    students = [one["for_principal_id"] for one in episode.relations if "for_principal_id" in one]
    students = [one for one in students if one in episode.people and episode.people[one].role == "student"]
    cases = {one["case_id"]: one["principal_id"] for one in episode.relations if one["type"].endswith("_case_subject")}
    for one in episode.relations:
        who = next((one[key] for key in _PRINCIPALS if key in one), "")
        key = next((key for key in _OBJECTS if key in one), "")
        what = one.get(key, "")
        if key == "case_id":
            what = cases.get(what) or next(iter(students), what)
        if who in episode.people and what not in ("", who):
            person = episode.people.get(what)
            object = person.principal if person else f"{key.removesuffix('_id')}:{what}"
            yield Relation(episode.people[who].principal, one["type"], object)


def _audience(subject_type: str, relations: list[Relation]) -> dict[str, list[str]]:
    responsible = {
        one.relation for one in relations if type_of(one.object) == subject_type and RESPONSIBLE.search(one.relation)
    }
    lists: dict[str, list[str]] = {
        "principals": ["subject"] if subject_type in PEOPLE else [],
        "roles": ROLES.get(subject_type, []),
        "relations": sorted(responsible),
    }
    return {name: listed for name, listed in lists.items() if listed}


class _Subjects:
    """The subjects of an episode, and what names them."""

    def __init__(self, episode: Episode, relations: list[Relation], main_type: str) -> None:
        self._episode, self._relations, self._main_type = episode, relations, main_type
        self._main = _main(episode, relations, main_type)
        self._names = {
            person.principal: re.compile(rf"\b{re.escape(person.name.split()[0])}\b")
            for person in episode.people.values()
            if person.role == main_type
        }
        self._names |= {
            one: re.compile(rf"(?i)\b{re.escape(_words(one))}\b")
            for one in sorted({relation.object for relation in relations})
            if type_of(one) in ("project", PROGRAM)
        }

    def of(self, speaker: str, text: str) -> str:
        """The first subject that a text names; its speaker, if there are records about them; the program, if it names
        one and the speaker has to do with nothing else; otherwise the main subject of the episode."""
        who = self._episode.people[speaker].principal if speaker in self._episode.people else ""
        found = sorted((match.start(), one) for one, name in self._names.items() if (match := name.search(text)))
        programs = [one for _, one in found if type_of(one) == PROGRAM]
        named = [one for _, one in found if type_of(one) != PROGRAM]
        own = {type_of(one.object) for one in self._relations if one.principal == who}
        if named:
            return named[0]
        if who in self._names:
            return who
        return programs[0] if programs and own and self._main_type not in own else self._main


def _words(object: str) -> str:
    return re.sub(r"^(?:project|program)_", "", object.partition(":")[2]).replace("_", " ")


def _main(episode: Episode, relations: list[Relation], main_type: str) -> str:
    """The subject with the most relations and turns."""
    counts = Counter(one.object for one in relations if type_of(one.object) == main_type)
    counts.update(
        person.principal
        for turn in episode.turns
        if (person := episode.people.get(turn.speaker)) and person.role == main_type
    )
    return max(sorted(counts), key=lambda one: counts[one], default=f"{main_type}:{episode.id}")
