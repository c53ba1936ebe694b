"""The JSON of an audience means usersets, and usersets are shown as this JSON."""

import pytest

from governance.faults import Faults
from governance.relations import audience_json

pytestmark = pytest.mark.pure

ALL = {
    "principals": ["patient:bo", "subject"],
    "roles": ["billing"],
    "relations": ["clinician_of", "patient:cy#clinician_of"],
}
USERSETS = ["#", "#clinician_of", "patient:bo", "patient:cy#clinician_of", "role:billing#member"]


def parse(value):
    faults = Faults()
    found = audience_json.parse(value, "/audience", faults)
    return faults.found or found


def test_it_is_read_and_shown():
    assert parse(ALL) == USERSETS
    assert parse(audience_json.render(USERSETS)) == USERSETS


def test_the_same_audience_is_read_alike_in_any_order_and_spelling():
    assert parse({"principals": ["b:1", "a:1", "b:1"]}) == parse({"principals": ["a:1", "b:1"]})
    assert parse({"roles": ["billing"]}) == parse({"relations": ["role:billing#member"]})


@pytest.mark.parametrize(
    ("value", "pointer"),
    [
        ([], "/audience"),
        ({}, "/audience"),
        ({"principals": []}, "/audience"),
        ({"principals": ["subject", "ada"]}, "/audience/principals/1"),
        ({"principals": ["patient:a#b"]}, "/audience/principals/0"),
        ({"principals": [7]}, "/audience/principals/0"),
        ({"roles": ["a#b"]}, "/audience/roles/0"),
        ({"roles": [""]}, "/audience/roles/0"),
        ({"relations": ["Clinician"]}, "/audience/relations/0"),
        ({"relations": ["ada#clinician_of"]}, "/audience/relations/0"),
        ({"relations": ["#clinician_of"]}, "/audience/relations/0"),
        ({"people": ["ada"]}, "/audience/people"),
        ({"principals": [f"a:{number}" for number in range(1_001)]}, "/audience/principals"),
        ({"principals": [f"a:{n}" for n in range(600)], "roles": [f"{n}" for n in range(600)]}, "/audience"),
    ],
)
def test_a_fault_is_named_where_it_is(value, pointer):
    assert [one["pointer"] for one in parse(value)] == [pointer]
