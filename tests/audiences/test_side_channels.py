"""Two tenants are alike, but one also has ada's memory. Whoever asks for bo gets the same answers from both."""

import json
import re
from itertools import count
from typing import Any

import pytest

from governance.acting import gate
from memory.db import count_terms
from tests.audiences.conftest import ADA, BO, FOR_ADA, clinic_of
from tests.capture.capturing import PROMPT, body
from tests.factories import CapsuleFactory, SummaryFactory

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])

UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[^\"]*")
HASH = re.compile(r'"[0-9a-f]{64}"')  # salted
#: The numbers of the agent's own chain, on which all its decisions and commits have one.
DISTANCE = re.compile(r'"distance_seconds": -?\d+')
SEQ = re.compile(r'"seq": \d+')
#: Scores and recencies, which fall while the test runs.
NUMBER = re.compile(r"\d+\.\d+")
CURSOR = re.compile(r'"(next|token)": "[^"]+"')
ABOUT = {"subject_type": "patient", "subject_id": "bo", "project_id": "ward"}


def fill(clinic, who, words, minute):
    """One of everything, said on behalf of a principal and for it alone, in a minute."""
    audience = {"principals": [who]}
    about = {**ABOUT, "ts": f"2026-01-05T10:{minute:02}:00Z"}
    on_behalf = {"X-On-Behalf-Of": who}
    first = clinic.record(f"{words} and the ward is quiet", audience, by=who, **about)
    clinic.record(words, audience, by=who, kind="decision", content={"decision": f"{words} is decided"}, **about)
    clinic.record(
        words, audience, by=who, kind="task_update", content={"title": f"{words} to do", "status": "open"}, **ABOUT
    )
    clinic.record(
        words, audience, by=who, kind="artifact", content={"name": words, "media_type": "text/plain"}, **ABOUT
    )
    remembered = {"text": f"{words} hurts", "key": "illness", "metadata": {"topic": "pain"}, **about}
    clinic.asking.ok("post", "memories", {**remembered, "audience": audience}, **on_behalf)
    summary = SummaryFactory(text=f"{words} in short", audience=audience, **ABOUT)
    clinic.asking.ok("post", "chunks/summary", summary, **on_behalf)
    captured = {**body(f"{words} was typed", PROMPT, compute_embedding=False), "audience": audience, "ts": about["ts"]}
    clinic.asking.ok("post", "captures", captured, **on_behalf)
    return first["chunk_ids"][0]


@pytest.fixture
def twins(world, elsewhere):
    """The tenant with ada's memory and the one without."""
    with_ada, without = clinic_of(world), clinic_of(elsewhere)
    for clinic in (with_ada, without):
        clinic.record("The ward is open to all", ts="2026-01-05T10:00:00Z", **ABOUT)
    fill(with_ada, ADA, "Zanzibar measles", 1)
    for clinic in (with_ada, without):
        clinic.bos = fill(clinic, BO, "Broken ankle", 2)
    fill(with_ada, ADA, "Zanzibar ankle", 3)
    with_ada.world.edit(with_ada.record("A zebra stumbled", FOR_ADA, **ABOUT)["chunk_ids"][0], "retract")
    for clinic in (with_ada, without):
        clinic.record("The ward is open again", ts="2026-01-05T10:09:00Z", **ABOUT)
        clinic.heard(
            "post", "tools/memory_commit", {"content": "The ankle heals", "subject_type": "patient", "subject_id": "bo"}
        )
    for clinic in (with_ada, without):
        with gate.job(clinic.world.tenant_id, "words"):  # uncounted words are weighed by a random sample
            count_terms(tenant=clinic.world.tenant_id)
    return with_ada, without


def shown(answer, clinic):
    """The text of an answer, with ids by their order in it, and without times."""
    names = count()
    known: dict[str, str] = {}
    text = answer.content.decode().replace(clinic.world.slug, "TENANT")
    text = re.sub(r"-[0-9a-f]{8}\b", "-NAME", text)
    text = UUID.sub(lambda found: known.setdefault(found[0], f"id-{next(names)}"), text)
    problem = json.loads(text)
    if isinstance(problem, dict):
        problem.pop("request_id", None)
    text = json.dumps(problem)
    for pattern, instead in (
        (MOMENT, "TIME"),
        (HASH, '"HASH"'),
        (SEQ, '"seq": "N"'),
        (DISTANCE, "DISTANCE"),
        (CURSOR, '"next": "CURSOR"'),
    ):
        text = pattern.sub(instead, text)
    numbers = [float(found) for found in NUMBER.findall(text)]
    return [str(answer.status_code), *re.split(r"(?<=[,{\[]) ?", NUMBER.sub("NUMBER", text))], numbers


SEARCHES = [
    {"query": "ankle"},
    {"query": "zanzibar"},
    {"query": "measles ankle ward", "explain": True, "highlight": True},
    {"query": "who has measles?", "mode": "hybrid", "explain": True},
    {"query": "zanzibr", "limit": 1},
    {"query": "ward", "limit": 2},
    {"query": "ward quiet", "subject_type": "patient", "subject_id": "bo"},
    {"query": "ward", "session_id": "session-1", "explain": True},
    {"query": "zebra", "include_quarantined": True},
]
PATHS = [
    "events", "events?limit=2", "events?kind=decision", "events?session_id=session-1",
    "events?include_quarantined=true",
    "chunks", "chunks?limit=1", "chunks?subject_type=patient&subject_id=bo", "chunks?project_id=ward&limit=3",
    "chunks?session_id=session-1", "chunks?include_quarantined=true", "decisions", "decisions/active", "tasks",
    "artifacts", "edits", "promotions", "promotions/candidates", "memories",
    "memories?limit=1", 'memories?where={"topic":"pain"}', "memories?key=illness", "memories?key_prefix=i",
    "subjects", "projects", "whoami", "chain", "captures", "files", "sessions", "values",
    "capsules", "capsules?subject_type=patient&subject_id=bo", "capsules/warnings", "acb/{bo}",
    "chunks/{bo}/timeline?window_seconds=86400", "chunks/{bo}/confidence",
]  # fmt: skip
POSTS: list[tuple[str, Any]] = [
    *(("chunks/search", body) for body in SEARCHES),
    ("chunks/get", {"chunk_ids": ["{bo}"]}),
    ("acb/build", {"session_id": "session-1", "channel": "private", "query": "measles ankle"}),
    ("acb/build", {"session_id": "session-1", "channel": "private", **ABOUT, "max_tokens": 4000}),
    ("acb/build", {"session_id": "new", "channel": "team", "subject_type": "patient", "subject_id": "bo"}),
    ("memories/search", {"query": "ankle measles", "where": {"topic": "pain"}}),
    ("memories/search", {"query": "hurts"}),
    ("context/bootstrap", {"query": "What about the ankle?"}),
    ("tools/memory_recall", {"query": "ankle zanzibar"}),
    ("tools/search_memory", {"query": "ankle"}),
    ("values/preview", {"op": "forget", "value": "Zanzibar", "reason": "x"}),
    ("values/preview", {"op": "forget", "value": "ankle", "reason": "x"}),
    ("edits/by-filter", {"filter": {"session_id": "session-1"}, "op": "retract", "reason": "x", "patch": {}}),
    ("capsules", CapsuleFactory(subject_type="patient", subject_id="bo", items={"chunks": ["{bo}"]}, note="ankle")),
    ("chunks/summary", SummaryFactory(text="Zanzibar measles and the ward is quiet", **ABOUT)),
    ("events", {"text": "Zanzibar measles and the ward is quiet"}),
]


def named(value, clinic):
    return json.loads(json.dumps(value).replace("{bo}", clinic.bos))


def same(twins, method, path, sent=(None, None), *, by=BO):
    """The status of an answer that both tenants give alike."""
    (with_ada, its_numbers), (without, numbers) = (
        shown(one.asked(method, path.replace("{bo}", one.bos), body, by=by), one)
        for one, body in zip(twins, sent, strict=True)
    )
    assert with_ada == without, (path, sent)
    assert its_numbers == pytest.approx(numbers, abs=0.001), (path, sent)
    return with_ada


def test_no_answer_tells_of_what_is_outside_the_audience(twins):
    for path in PATHS:
        answer = same(twins, "get", path)
        assert answer[0] in ("200", "404"), (path, answer)
    for path, sent in POSTS:
        bodies = [one.world.draft(**sent) if path == "events" else named(sent, one) for one in twins]
        answer = same(twins, "post", path, bodies)
        assert answer[0] in ("200", "201") or "nothing-says-it" in answer[2], (path, answer)


def test_the_agent_as_itself_learns_no_more(twins):
    for path in PATHS:
        same(twins, "get", path, by="agent:alice")
