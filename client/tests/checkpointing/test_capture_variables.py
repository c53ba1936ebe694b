"""Variables as JSON and back: supported values are restored exactly, all others are reported."""

import json
import types
from collections import OrderedDict, namedtuple
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suture_client.checkpointing import CannotRepresent, UnknownEncoding, capture_variables, rebuild_variables
from suture_client.checkpointing.values import MAX_LEVELS, TAG

pytestmark = pytest.mark.pure


def there_and_back(variables: dict[str, Any]) -> dict[str, Any]:
    """Encode and decode variables; nothing may be left out."""
    kept = json.loads(json.dumps(capture_variables(variables, strict=True), allow_nan=False).encode())
    rebuilt = rebuild_variables(kept)
    assert rebuilt.missing == []
    return rebuilt.values


def is_same(one: Any, other: Any) -> bool:
    """Return whether two values differ only in identity: NaN equals NaN, -0.0 differs from 0.0, True from 1."""
    if type(one) is not type(other):
        return False
    if isinstance(one, float):
        return str(one.hex()) == str(other.hex())
    if isinstance(one, complex):
        return is_same(one.real, other.real) and is_same(one.imag, other.imag)
    if isinstance(one, Decimal):
        return str(one) == str(other)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(is_same, one, other))
    if isinstance(one, set | frozenset):
        return len(one) == len(other) and all(any(is_same(a, b) for b in other) for a in one)
    if isinstance(one, dict):
        return is_same(list(one.items()), list(other.items()))
    if isinstance(one, datetime | time):
        zones = is_same_zone(one.tzinfo, other.tzinfo)
        return zones and one.fold == other.fold and one.replace(tzinfo=None) == other.replace(tzinfo=None)
    return bool(one == other)


def is_same_zone(one: tzinfo | None, other: tzinfo | None) -> bool:
    return type(one) is type(other) and repr(one) == repr(other)


texts = st.text(st.characters(exclude_categories=())) | st.sampled_from(
    [TAG, "\x00", "\ud83d\ude00", "\udfff", "\\u0000"]
)
offsets = st.timedeltas(timedelta(hours=-23, minutes=-59), timedelta(hours=23, minutes=59))
zones = st.none() | offsets.map(timezone) | st.builds(timezone, offsets, texts) | st.timezones()
hashable_leaves = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(min_value=2**63, max_value=2**200)
    | st.floats()
    | texts
    | st.binary()
    | st.complex_numbers()
    | st.decimals().filter(lambda number: not number.is_snan())
    | st.uuids()
    | st.dates()
    | st.times(timezones=zones)
    | st.datetimes(timezones=zones)
    | st.timedeltas()
    | texts.filter(lambda text: "\x00" not in text).map(Path)
)
hashables = st.recursive(
    hashable_leaves,
    lambda inner: st.lists(inner, max_size=3).map(tuple) | st.frozensets(inner, max_size=3),
    max_leaves=5,
)
values = st.recursive(
    hashables | st.binary().map(bytearray),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(texts, inner, max_size=4)
        | st.dictionaries(hashables, inner, max_size=4)
        | st.sets(hashables, max_size=4)
    ),
    max_leaves=12,
)


@settings(max_examples=100, deadline=None)
@given(
    st.dictionaries(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00")), values, max_size=4)
)
def test_every_value_of_a_known_type_is_restored_exactly(variables: dict[str, Any]) -> None:
    variables = {name: value for name, value in variables.items() if not name.startswith("__")}
    assert is_same(there_and_back(variables), variables)


@settings(max_examples=75, deadline=None)
@given(values, st.data())
def test_shared_values_stay_shared(value: Any, data: st.DataObject) -> None:
    back = there_and_back({"one": value, "both": [value, {"again": value}]})
    assert is_same(back["one"], value)
    if isinstance(value, list | dict | set | bytearray):
        assert back["both"][0] is back["one"]
        assert back["both"][1]["again"] is back["one"]


@settings(max_examples=50, deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.text() | st.sampled_from([TAG, "as", "items", "variables", "hex"]), inner, max_size=3)
        ),
        max_leaves=10,
    )
)
def test_whatever_a_checkpoint_says_reading_it_never_fails(found: Any) -> None:
    """In a foreign checkpoint, each variable is restored or reported."""
    variables = found if isinstance(found, dict) else {"x": found}
    rebuilt = rebuild_variables({TAG: "variables", "encoding": 1, "variables": variables, "left_out": []})
    assert rebuilt.values.keys() | {one.name for one in rebuilt.missing} == variables.keys()


VALUES = [
    1.0,
    -0.0,
    float("nan"),
    float("-inf"),
    2**63 - 1,
    -(2**63),
    2**63,
    -(10**5_000),
    Decimal("-0"),
    Decimal("sNaN123"),
    Decimal("1E+999999"),
    (),
    (1, (2, [3])),
    {"$suture": "tuple", "items": []},
    {1: "a", None: "b", (1, 2): "c", b"x": "d", True and 2.5: "e"},
    frozenset({frozenset({1}), frozenset()}),
    datetime(2026, 10, 25, 2, 30, fold=1, tzinfo=ZoneInfo("Europe/Zurich")),
    datetime(1, 1, 1, tzinfo=timezone(timedelta(microseconds=1))),
    datetime(2026, 1, 1, tzinfo=timezone(timedelta(hours=1), "a zone of my own")),
    datetime(2026, 1, 1, tzinfo=UTC),
    time(12, tzinfo=UTC),
    date.max,
    timedelta.min,
    UUID(int=0),
    Path("a file with \udcff in its name"),
    Path(),
    "half \ud800 of a pair",
    "two \ud83d\ude00 halves",
    "\x00 \\u0000 \\\x00",
]


def test_a_value_is_restored_exactly() -> None:
    for value in VALUES:
        assert is_same(there_and_back({"x": value})["x"], value), value


class Colour(str):
    pass


Point = namedtuple("Point", "x y")


class Odd:
    def __repr__(self) -> str:
        raise RuntimeError


class OwnZone(tzinfo):
    def utcoffset(self, moment: datetime | None) -> timedelta:
        return timedelta(0)

    dst = utcoffset

    def tzname(self, moment: datetime | None) -> str:
        return "own"


@pytest.mark.parametrize(
    ("value", "path", "kind", "why"),
    [
        ({"a": [1, {"when": Odd()}]}, 'x["a"][1]["when"]', f"{__name__}.Odd", "no exact form"),
        ([Point(1, 2)], "x[0]", f"{__name__}.Point", "convert it"),
        (OrderedDict(a=1), "x", "collections.OrderedDict", "convert it"),
        ({"colour": Colour("red")}, 'x["colour"]', f"{__name__}.Colour", "convert it"),
        ({3: {Odd: 1}}, "x[3] (a key)", "type", "a class"),
        ({(1, 2): [len]}, "x[a tuple][0]", "builtin_function_or_method", "a function"),
        ({frozenset({(Odd,)})}, "x (an element) (an element)[0]", "type", "a class"),
        (json, "x", "module", "import it again"),
        (datetime(2026, 1, 1, tzinfo=OwnZone()), "x", "datetime.datetime", "time zone"),
        (object(), "x", "object", "no exact form"),
    ],
)
def test_unsupported_values_are_reported_with_path_and_type(value: Any, path: str, kind: str, why: str) -> None:
    kept = capture_variables({"x": value, "y": 1})
    assert rebuild_variables(kept).values == {"y": 1}
    (found,) = rebuild_variables(kept).missing
    assert (found.name, found.path, found.type) == ("x", path, kind)
    assert why in found.why
    with pytest.raises(CannotRepresent) as refused:
        capture_variables({"x": value, "y": 1}, strict=True)
    assert f"- {path} ({kind}): " in str(refused.value)


@pytest.mark.parametrize("make", [list, dict])
def test_cycles_are_reported(make: type[Any]) -> None:
    cycle: Any = make()
    if make is list:
        cycle.append({"in": (cycle,)})
    else:
        cycle["in"] = [{"here": cycle}]
    (found,) = rebuild_variables(capture_variables({"x": cycle, "y": [1]})).missing
    assert found.why == "it contains itself"


def test_a_shared_value_is_kept_if_another_variable_is_left_out() -> None:
    shared = [1, 2]
    back = rebuild_variables(capture_variables({"bad": [shared, object()], "good": {"it": shared}}))
    assert back.values == {"good": {"it": [1, 2]}}


def test_nesting_that_the_server_would_refuse_is_named() -> None:
    deep: Any = []
    for _ in range(5_000):
        deep = [deep]
    (found,) = rebuild_variables(capture_variables({"deep": deep})).missing
    assert found.why == f"it is nested deeper than {MAX_LEVELS} levels of JSON"
    assert found.path == "deep" + "[0]" * MAX_LEVELS


def test_widely_shared_values_are_encoded_once() -> None:
    doubled: Any = ("end",)
    for _ in range(20):
        doubled = (doubled, doubled)
    assert len(json.dumps(capture_variables({"x": doubled}))) < 10_000
    assert there_and_back({"x": doubled})["x"] == doubled


def test_the_same_variables_have_the_same_form_whatever_order_a_set_has() -> None:
    one, other = {f"element {number}" for number in range(50)}, set()
    for element in sorted(one, reverse=True):
        other.add(element)
    assert json.dumps(capture_variables({"x": one})) == json.dumps(capture_variables({"x": other}))


def test_names_of_python_itself_are_passed_over() -> None:
    module = types.ModuleType("of_a_session")
    exec("import json\ntotal = 3\ndef work(): pass", module.__dict__)
    rebuilt = rebuild_variables(capture_variables(module.__dict__))
    assert rebuilt.values == {"total": 3}
    assert sorted((one.name, one.type) for one in rebuilt.missing) == [("json", "module"), ("work", "function")]


def test_names_that_are_no_text_are_named() -> None:
    (found,) = rebuild_variables(capture_variables({3: "three"})).missing  # type: ignore[dict-item] # that is the test
    assert (found.path, found.type) == ("3", "int")


def test_variables_that_another_program_kept_are_plain_json() -> None:
    assert rebuild_variables({"total": 3, "variables": [1]}).values == {"total": 3, "variables": [1]}


def test_another_version_of_the_encoding_is_refused_with_both_versions() -> None:
    with pytest.raises(UnknownEncoding, match=r"in version 2, and this client reads version 1"):
        rebuild_variables({TAG: "variables", "encoding": 2, "variables": {}, "left_out": []})


@pytest.mark.parametrize(
    "encoded",
    [
        {TAG: "unheard of"},
        {TAG: "same", "as": ["x"]},
        {TAG: "same", "as": ["nobody"]},
        {TAG: "tuple"},
        {TAG: "set", "items": [[1]]},
        {TAG: "Decimal", "value": "three"},
        {TAG: "bytes", "base64": "?"},
        {TAG: "datetime", "value": "2026-01-01", "fold": 0, "zone": {"key": "../../etc/passwd"}},
        {TAG: "Path", "kind": "WindowsPath", "value": "C:"},
        {TAG: ["tuple"], "items": []},
    ],
    ids=json.dumps,
)
def test_unreadable_values_are_reported(encoded: Any) -> None:
    kept = {TAG: "variables", "encoding": 1, "variables": {"x": encoded, "y": 1}, "left_out": []}
    rebuilt = rebuild_variables(kept)
    assert rebuilt.values == {"y": 1}
    assert [one.name for one in rebuilt.missing] == ["x"]
