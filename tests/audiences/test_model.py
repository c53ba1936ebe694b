"""Every way of reading agrees with a model in plain Python, for random principals, relations, rules and records."""

import random
import re
from typing import Any

import pytest

from tests.audiences.conftest import Clinic
from tests.audiences.model import Model, Record, Relation

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])

PATIENTS = [f"patient:p{number}" for number in range(3)]
STAFF = [f"user:u{number}" for number in range(4)]
RELATIONS, ROLES, TAGS = ["clinician_of", "covering", "family_of"], ["billing", "front_desk"], ["", "billing", "chart"]
KINDS = {"message": {}, "decision": {"decision": "word decided"}, "task_update": {"title": "word", "status": "open"}}
PAST, FUTURE = "2001-01-01T00:00:00Z", "2098-01-01T00:00:00Z"
#: Valid from, valid until, whether it is revoked.
TIMES = [({}, True), ({"valid_until": FUTURE}, True), ({"valid_from": FUTURE}, False),
         ({"valid_from": PAST, "valid_until": "2002-01-01T00:00:00Z"}, False), (None, False)]  # fmt: skip


def some_audience(dice: random.Random) -> dict[str, list[str]]:
    found = {
        "principals": dice.sample([*PATIENTS, *STAFF, "subject"], dice.randint(0, 2)),
        "roles": dice.sample(ROLES, dice.randint(0, 1)),
        "relations": dice.sample([*RELATIONS, f"{PATIENTS[0]}#clinician_of"], dice.randint(0, 2)),
    }
    return {name: chosen for name, chosen in found.items() if chosen} or {"principals": [PATIENTS[0]]}


def furnish(clinic: Clinic, dice: random.Random) -> tuple[Model, list[Record]]:
    """The tenant and its model, alike."""
    model = Model()
    bob, carol = clinic.world.bob, clinic.carol
    for relation, implies in (("clinician_of", "covering"), ("covering", "family_of")):
        carol.ok("post", "implied-relations", {"object_type": "patient", "relation": relation, "implies": implies})
        model.implied.append(("patient", relation, implies))
    for principal in STAFF:
        for object, names in [(one, RELATIONS) for one in PATIENTS] + [(f"role:{one}", ["member"]) for one in ROLES]:
            if dice.random() < 0.5:
                relation, (times, is_current) = dice.choice(names), dice.choice(TIMES)
                made = clinic.relate(principal, relation, object, **(times or {}))
                if times is None:
                    bob.ok("post", f"relations/{made['id']}/revoke", {"reason": "a test"})
                model.relations.append(Relation(principal, relation, object, is_current))
    for conditions in (("patient", "", ""), ("", "billing", ""), ("patient", "chart", ""), ("", "", "decision")):
        if dice.random() < 0.6:
            audience = some_audience(dice)
            named = dict(zip(("subject_type", "tag", "kind"), conditions, strict=True))
            sent = {name: value for name, value in named.items() if value}
            carol.ok("post", "audience-rules", {**sent, "audience": audience, "reason": "a test"})
            model.rules[conditions] = audience
    records = []
    for number in range(24):
        choices: list[Any] = [None, None, "default", some_audience(dice), some_audience(dice)]
        audience = dice.choice(choices)
        one = Record(
            f"word number{number}", dice.choice(PATIENTS), dice.choice(TAGS), dice.choice(list(KINDS)), audience
        )
        subject_type, _, subject_id = one.subject.partition(":")
        clinic.record(
            one.text,
            audience,
            kind=one.kind,
            content=KINDS[one.kind],
            tags=[one.tag] if one.tag else [],
            subject_type=subject_type,
            subject_id=subject_id,
            session_id=f"session-{number % 3}",
        )
        records.append(one)
    return model, records


def numbers(text: str) -> set[str]:
    """The records that a text repeats."""
    return set(re.findall(r"number\d+", text))


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.slow), pytest.param(3, marks=pytest.mark.slow)])
def test_every_door_agrees_with_the_model(clinic, seed):
    model, records = furnish(clinic, random.Random(seed))
    ids = [one["chunk_id"] for one in clinic.world.bob.ok("get", "chunks?limit=200")["results"]]
    assert len(ids) == len(records)
    for principal in (*PATIENTS, *STAFF, "user:nobody"):
        heard = {one.text.split()[1] for one in records if model.hears(principal, one)}
        doors = {
            "chunks": clinic.asked("get", "chunks?limit=200", by=principal),
            "events": clinic.asked("get", "events?limit=200", by=principal),
            "get": clinic.asked("post", "chunks/get", {"chunk_ids": ids}, by=principal),
            "search": clinic.asked("post", "chunks/search", {"query": "word", "limit": 200}, by=principal),
            "recall": clinic.asked(
                "post", "tools/memory_recall", {"query": "word", "max_results": 100, "max_tokens": 10000}, by=principal
            ),
        }
        for name, answer in doors.items():
            assert numbers(answer.content.decode()) == heard, (principal, name)
        subjects = {one.subject for one in records}
        shown = {
            numbers(one["text"]).pop(): one["is_read"]
            for subject in subjects
            for one in clinic.world.bob.ok(
                "get",
                f"principals/reading?principal={principal}&subject_type=patient&subject_id={subject[8:]}&limit=200",
            )["results"]
        }
        assert {number for number, is_read in shown.items() if is_read} == heard, principal
        bundle = {"session_id": "session-1", "channel": "private", "query": "word"}
        built = clinic.heard("post", "acb/build", bundle, by=principal)
        assert numbers(str(built)) <= heard, principal
