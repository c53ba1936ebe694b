"""Descriptions of tool calls, in plain English and of limited size."""

import json

import pytest

from suture_client.hooks.descriptions import describe, paths, shortened
from suture_client.hooks.hook_call import HookCall

pytestmark = pytest.mark.pure


def call(event="PreToolUse", **fields):
    return HookCall(agent="claude-code", event=event, session_id="s", cwd="/home/jo/shop", **fields)


@pytest.mark.parametrize(
    ("tool", "given", "said"),
    [
        ("Read", {"file_path": "/home/jo/shop/config.yaml"}, "Read: Reading file config.yaml"),
        ("Read", {"file_path": "/etc/hosts"}, "Read: Reading file /etc/hosts"),
        ("Write", {"file_path": "/home/jo/shop/a.py", "content": "x = 1"}, "Write: Writing file a.py"),
        (
            "Edit",
            {"file_path": "/home/jo/shop/a.py", "old_string": "x = 1", "new_string": "x = 2"},
            "Edit: Editing file a.py\nReplacing: x = 1\nWith: x = 2",
        ),
        ("Bash", {"command": "npm test"}, "Bash: Running command npm test"),
        ("Bash", {"command": "npm test", "description": "Run tests"}, "Bash: Run tests. Running command npm test"),
        ("shell", {"command": ["git", "log"]}, "shell: Running command git log"),
        ("Glob", {"pattern": "**/*.py"}, "Glob: Finding files **/*.py"),
        ("Grep", {"pattern": "def main", "path": "/home/jo/shop/src"}, "Grep: Searching for def main in src"),
        ("WebFetch", {"url": "https://a.b", "prompt": "What is it?"}, "WebFetch: Fetching https://a.b\nWhat is it?"),
        ("WebSearch", {"query": "python fcntl"}, "WebSearch: Searching the web for python fcntl"),
        ("Task", {"description": "Find it", "prompt": "Look"}, "Task: Starting a subagent: Find it\nLook"),
        ("mcp__db__query", {"query": "SELECT 1"}, "mcp__db__query: Searching for SELECT 1"),
        ("Odd", {"depth": 3, "names": ["a"]}, 'Odd: depth 3, names ["a"]'),
        ("Odd", {}, "Odd"),
        ("Odd", None, "Odd"),
        ("Odd", "text", "Odd: text"),
        ("Read", {"file_path": 7}, "Read: file_path 7"),
        ("", None, ""),
        ("", {}, ""),
    ],
)
def test_tool_calls_are_described(tool, given, said):
    assert describe(call(tool_name=tool, tool_input=given)) == said


@pytest.mark.parametrize(
    ("output", "said"),
    [
        ("fine", "Output: fine"),
        ({"stdout": "fine", "stderr": "", "interrupted": False}, "Output: fine"),
        ({"stdout": "", "stderr": "no", "exit_code": 2}, "Exit code: 2\nStandard error: no"),
        ({"exit_code": 0, "stdout": "fine"}, "Exit code: 0\nOutput: fine"),
        ({"stdout": "", "stderr": "", "interrupted": True}, "It was interrupted."),
        ({"error": "File does not exist."}, "Error: File does not exist."),
        ({"error": {"message": "No."}}, 'Error: {"message": "No."}'),
        ({"is_error": True, "content": "No."}, "It failed.\nOutput: No."),
        ({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}, "Output: a\nb"),
        ([{"type": "text", "text": "a"}], "Output: a"),
        ({"type": "text", "file": {"filePath": "/a", "content": "1\n2", "numLines": 2}}, "Output: 1\n2"),
        ({"type": "update", "filePath": "/home/jo/shop/a.py", "content": "x"}, "Update: a.py"),
        ({"filenames": ["a.py", "b.py"], "numFiles": 2}, "Output: a.py\nb.py"),
        ({"odd": 1}, 'Output: {"odd": 1}'),
        ({"success": True}, ""),
        (None, ""),
        ("", ""),
        (True, ""),
    ],
)
def test_results_are_described(output, said):
    found = describe(call("PostToolUse", tool_name="T", tool_output=output))
    assert found == f"T\n{said}".strip()


def test_long_output_has_its_first_and_last_lines():
    output = "\n".join(f"line {number}" for number in range(1000))
    found = describe(call("PostToolUse", tool_name="T", tool_output=output)).splitlines()
    assert found[1:3] == ["Output: line 0", "line 1"]
    assert found[-1] == "line 999"
    assert "[...]" in found
    assert len(found) == 12


def test_an_input_of_any_size_gives_a_bounded_description():
    given = {"command": "word " * 100_000, "description": "x " * 100_000, "prompt": "y " * 100_000}
    found = describe(call(tool_name="Bash", tool_input=given))
    assert len(found) < 2_500
    assert len(describe(call(tool_name="Odd", tool_input={str(n): n for n in range(100_000)}))) < 700


def test_text_is_cut_between_words():
    assert shortened("one two three", 9) == "one two …"
    assert shortened("one two", 7) == "one two"
    assert shortened("a=" + "x" * 100, 50) == "…"
    assert shortened(json.dumps({"token": "x" * 100}), 50) == '{"token": …'


def test_the_files_of_a_call():
    assert paths(call(tool_input={"file_path": "/a", "path": "/b", "command": "cat /c"})) == ["/a", "/b"]
    assert paths(call(tool_input="text")) == []
