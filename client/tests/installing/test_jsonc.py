"""Editing JSON with comments keeps all other text unchanged."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suture_client.installing import jsonc

pytestmark = pytest.mark.pure

WITH_COMMENTS = """\
// My servers
{
    /* do not touch */
    "servers": {
        "other": {"command": "npx", "args": ["-y", "x"]}, // mine
        // "off": {},
    },
    "inputs": [], // none yet
}
// the end
"""


def test_a_member_is_added_and_comments_stay() -> None:
    changed = jsonc.put(WITH_COMMENTS, ["servers", "suture", "url"], "http://x/mcp")
    added = '        "suture": {\n            "url": "http://x/mcp"\n        }\n'
    assert changed == WITH_COMMENTS.replace('        // "off": {},\n', f'        // "off": {{}},\n{added}')
    assert jsonc.parse(changed).value["servers"]["suture"] == {"url": "http://x/mcp"}


def test_an_item_is_added_to_an_array() -> None:
    changed = jsonc.append(WITH_COMMENTS, ["inputs"], {"id": "a"})
    assert jsonc.parse(changed).value["inputs"] == [{"id": "a"}]
    again = jsonc.append(changed, ["inputs"], {"id": "b"})
    assert jsonc.parse(again).value["inputs"] == [{"id": "a"}, {"id": "b"}]
    for comment in ("// My servers", "/* do not touch */", "// mine", '// "off": {},', "// none yet", "// the end"):
        assert comment in again


def test_an_item_of_an_array_is_changed_and_removed() -> None:
    text = '{\n  "a": [\n    {"b": 1}, // one\n    {"b": 2} // two\n  ]\n}\n'
    assert jsonc.put(text, ["a", 1, "b"], 3) == text.replace('"b": 2', '"b": 3')
    assert jsonc.put(text, ["a", 0, "c"], 3).count("\n") > text.count("\n")
    assert jsonc.parse(jsonc.remove(text, ["a", 0])).value == {"a": [{"b": 2}]}
    assert jsonc.parse(jsonc.remove(text, ["a", 1])).value == {"a": [{"b": 1}]}
    assert jsonc.remove(text, ["a", 2]) == text
    assert "// two" in jsonc.remove(text, ["a", 1])
    with pytest.raises(jsonc.Malformed, match="a must be an array with more items"):
        jsonc.put(text, ["a", 2, "b"], 1)


def test_only_the_members_that_differ_are_changed() -> None:
    text = '{\n  "s": {\n    "a": 1, // one\n    "b": {"c": [1,2], "d": 3}\n  }\n}\n'
    changed = jsonc.put(text, ["s"], {"a": 2, "b": {"d": 4}})
    assert changed == text.replace('"a": 1', '"a": 2').replace('"d": 3', '"d": 4')
    assert jsonc.put(changed, ["s"], {"a": 2, "b": {"d": 4}}) == changed


@pytest.mark.parametrize(
    ("text", "without"),
    [
        ('{"a": 1, "b": 2}', '{ "b": 2}'),
        ('{"b": 2, "a": 1}', '{"b": 2 }'),
        ('{"a": 1}', "{}"),
        ('{\n  "a": 1,\n  "b": 2\n}', '{\n  "b": 2\n}'),
        ('{\n  "b": 2,\n  "a": 1\n}', '{\n  "b": 2\n}'),
        ('{\n  "b": 2, // two\n  "a": 1\n}', '{\n  "b": 2 // two\n}'),
        ('{\r\n  "b": 2,\r\n  "a": 1,\r\n}', '{\r\n  "b": 2,\r\n}'),
        ('{"b": 2}', '{"b": 2}'),
    ],
)
def test_a_member_is_removed(text: str, without: str) -> None:
    assert jsonc.remove(text, ["a"]) == without


def test_lines_keep_their_ends() -> None:
    changed = jsonc.put('{\r\n\t"a": 1\r\n}\r\n', ["b", "c"], [1])
    assert changed == '{\r\n\t"a": 1,\r\n\t"b": {\r\n\t\t"c": [\r\n\t\t\t1\r\n\t\t]\r\n\t}\r\n}\r\n'


@pytest.mark.parametrize(
    ("text", "line", "column", "reason"),
    [
        ("", 1, 1, "too early"),
        ("{", 1, 2, "in double quotes"),
        ('{\n  "a": 1\n  "b": 2\n}', 3, 3, "comma"),
        ('{\n  "a" 1}', 2, 7, "colon"),
        ("{'a': 1}", 1, 2, "double quotes"),
        ('{"a": 1} x', 1, 10, "nothing may follow"),
        ('{"a": 01}', 1, 8, "comma"),
        ('{"a": nul}', 1, 7, "expected a value"),
        ('{"a": "\n"}', 1, 7, "expected a value"),
        ("[" * 1000, 1, 202, "too deeply"),
        ('{"a": 1,,}', 1, 9, "double quotes"),
        ("{,}", 1, 2, "double quotes"),
    ],
)
def test_parse_errors_have_line_and_column(text: str, line: int, column: int, reason: str) -> None:
    with pytest.raises(jsonc.Malformed) as malformed:
        jsonc.put(text, ["x"], 1)
    assert (malformed.value.line, malformed.value.column) == (line, column)
    assert reason in malformed.value.reason


@pytest.mark.parametrize(("text", "line"), [("[]", 1), ('{\n"s": []}', 2), ('{\n"s":\n"x"}', 3)])
def test_only_objects_get_members(text: str, line: int) -> None:
    with pytest.raises(jsonc.Malformed, match="must be an object") as malformed:
        jsonc.put(text, ["s", "x"], 1)
    assert malformed.value.line == line


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.text(max_size=3), VALUES, max_size=4)


@given(OBJECTS, st.sampled_from([None, 0, 2, "\t"]))
def test_every_json_is_read_as_json_reads_it(value: object, indent: int | str | None) -> None:
    assert jsonc.parse(json.dumps(value, indent=indent)).value == value


@given(OBJECTS, st.lists(st.text(max_size=3), min_size=1, max_size=3), VALUES, st.sampled_from([None, 2]))
def test_put_keeps_everything_else(
    before: dict[str, object], path: list[str], value: object, indent: int | None
) -> None:
    text = json.dumps(before, indent=indent)
    try:
        changed = jsonc.put(text, path, value)
    except jsonc.Malformed:
        return  # something on the way is no object
    found = jsonc.parse(changed).value
    assert jsonc.put(changed, path, value) == changed
    assert {name: below for name, below in found.items() if name != path[0]} == {
        name: below for name, below in before.items() if name != path[0]
    }
    for name in path:
        found = found[name]
    if not isinstance(value, dict):
        assert found == value


@given(OBJECTS, st.text(max_size=3), st.sampled_from([None, 2]))
def test_remove_keeps_everything_else(before: dict[str, object], name: str, indent: int | None) -> None:
    after = jsonc.parse(jsonc.remove(json.dumps(before, indent=indent), [name])).value
    assert after == {other: value for other, value in before.items() if other != name}
