"""The twin test: wherever a request names a record, a session, an agent or a person, one of another tenant is answered
exactly as one that is nowhere. Made from the OpenAPI schema, so that what is added to the API is asked too."""

import re
import uuid
from urllib.parse import quote

import pytest
from django.db import transaction

from tests.hostile.asking import builder_for, name_of, request_with
from tests.hostile.documented import Path, body_of, ids_in, is_id, requests
from tests.hostile.everything import UUID
from tests.hostile.narrowing import tried
from tests.scale import at_scale

#: What differs between two answers to the same request: ids, moments, digests, what is weighed by time, what is signed
#: or compressed, and the mark of a bundle.
OF_ITS_OWN = [
    UUID,
    re.compile(r"\d{4}-\d\d-\d\dT[0-9:.]+(?:Z|\+00:00)"),
    re.compile(r"[0-9a-f]{64}|[0-9a-f]{32}"),
    re.compile(r"\d+\.\d+"),
    re.compile(r'(?<="token":")[^"]+'),
    re.compile(r'(?<="stored_size":)\d+'),
    re.compile(r"\b\d{12}\b"),
]


def places():
    """Each operation with each place of an id in its path, its query and its body."""
    for method, path, operation in requests():
        for parameter in operation.get("parameters", []):
            if parameter["in"] in ("path", "query") and is_id(parameter["name"], parameter["schema"]):
                name = parameter["name"]
                yield f"{method} {path} {name}", (method, path, operation, parameter["in"], name)
        if (schema := body_of(operation)) is not None:
            told: dict[tuple[str, ...], Path] = {}
            for place in ids_in(schema):
                told.setdefault(tuple(step for step in place if isinstance(step, str)), place)
            for name, place in told.items():
                yield f"{method} {path} {'.'.join(name)}", (method, path, operation, "body", place)


PLACES = list(places())


def answer_to(api, method, address, body, value):
    """The status and the text of the answer, without what is in any answer another; nothing is kept."""
    with transaction.atomic():
        response = api.request(method, address, body)
        transaction.set_rollback(True)
    text = response.content.decode().replace(quote(value, safe=""), "<id>").replace(value, "<id>")
    for pattern in OF_ITS_OWN:
        text = pattern.sub("<id>", text)
    return response.status_code, text


def values_for(theirs, place, whole):
    """Pairs of what another tenant has and what is nowhere: ids of the kind that the place's name tells, or of each
    kind, and names; or one id, and one name where the place's name tells no kind."""
    name = name_of(place)
    kind = name.removesuffix("s").removesuffix("_id").removesuffix("Id")
    found = theirs.ids.get(kind) or [some[0] for some in theirs.ids.values()]
    pairs = [(one, str(uuid.uuid4())) for one in (sorted(theirs.all_ids) if at_scale(0, 1) else found[:12])]
    names = (theirs.session, theirs.agent, theirs.world.bob_name)
    named = [(name, name[:-8] + uuid.uuid4().hex[:8]) for name in names]
    if whole:
        return [*pairs, *named]
    return pairs[:1] if kind in theirs.ids else [pairs[0], named[0]]


@pytest.mark.scaled
@pytest.mark.parametrize(("method", "path", "operation", "where", "place", "whole"), tried(PLACES))
def test_it_is_answered_as_one_that_is_nowhere(tenants, method, path, operation, where, place, whole):
    ours, theirs = tenants
    builder = builder_for(ours)
    statuses = set()
    for caller in ("agent", "admin"):
        for known, unknown in values_for(theirs, place, whole):
            answers = []
            for value in (known, unknown):
                address, body = request_with(builder, method, path, operation, where, place, value)
                answers.append(answer_to(ours.callers[caller], method, address, body, value))
            assert answers[0] == answers[1], (caller, known)
            assert theirs.words not in answers[0][1]
            statuses.add(answers[0][0])
    assert max(statuses) < 500


@pytest.mark.pure
def test_every_operation_with_a_record_is_asked():
    asked = {values[:2] for _, values in PLACES}
    named = {(method, path) for method, path, _ in requests() if "_id}" in path}
    assert named <= asked
    assert len(PLACES) >= 180


CAPSULES = [pytest.param(*values, id=name) for name, values in PLACES if name_of(values[4]) == "capsule_id"]


@pytest.mark.parametrize(("method", "path", "operation", "where", "place"), CAPSULES)
def test_a_capsule_for_others_is_refused_without_its_content(tenants, method, path, operation, where, place):
    """To an agent of the same tenant that is not in its audience."""
    ours, _ = tenants
    capsule = ours.ids["capsule"][0]
    address, body = request_with(builder_for(ours), method, path, operation, where, place, capsule)
    status, text = answer_to(ours.outsider, method, address, body, capsule)
    assert status == 403, text
    assert ours.words not in text


READ = [
    pytest.param(*values, id=name)
    for name, values in PLACES
    if values[0] == "get" and values[3] == "path" and "seq" not in name
]


@pytest.mark.parametrize(("method", "path", "operation", "where", "place"), READ)
def test_ones_own_record_is_answered(tenants, method, path, operation, where, place):
    """So that what is asked above is more than what anybody is refused."""
    ours, _ = tenants
    addresses = [
        request_with(builder_for(ours), method, path, operation, where, place, value)[0]
        for value in ours.ids.get(place.removesuffix("_id"), [ours.session])
    ]
    assert any(caller.get(address).status_code == 200 for address in addresses for caller in ours.callers.values()), (
        addresses
    )
