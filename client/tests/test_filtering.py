"""Filtering before sending: private spans, and calls that the user's ignore lists name."""

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suture_client.filtering import Ignored, all_without_private, ignored, without_private
from suture_client.hooks import settings

pytestmark = pytest.mark.pure


SPANS = [
    ("plain", "plain"),
    ("a <b>c</b> private </p>", "a <b>c</b> private </p>"),
    ("a <private>b</private> c", "a  c"),
    ("a <PRIVATE>b</Private> c", "a  c"),
    ("a <private>b\nc\n\nd</private\n> e", "a  e"),
    ("a <private reason='x > y' / z>b</private> c", "a  c"),
    ("a < private >b< / private > c", "a  c"),
    ("a <private/> b", "a <private/> b"),
    ("<private>a</private><private>b</private>c", "c"),
    ("a <private>b <private>c</private> d</private> e", "a  e"),
    ("a <private>b <private>c</private> d", "a "),
    ("a <private>b", "a "),
    ("a <private", "a "),
    ("a <private b", "a "),
    ("a <private <b>c</private> d", "a  d"),
    ("a </private> b <private>c</private> d", "a </private> b  d"),
    ("a </private <private>b</private> c", "a </private  c"),
    ("<privately> kept </privately>", "<privately> kept </privately>"),
    ("<private><private/>a</private> b", " b"),
    ("\u0130 <private>a</private> b", "\u0130  b"),
]


def test_private_spans_are_left_out():
    assert [(text, without_private(text)) for text, _ in SPANS] == SPANS


def test_private_spans_within_json_are_left_out():
    value = {"a": ["x <private>y</private>", 1, None], "b<private>c</private>": {"d": "<private>e"}}

    assert all_without_private(value) == {"a": ["x ", 1, None], "b": {"d": ""}}


TAGS = ["<private>", "</private>", "<PRIVATE a='b'>", "<private", "</private", "<private/>", "<", ">", "/", "a b", "\n"]
OPENING = [tag for tag in TAGS if not tag.startswith("</")]
texts = st.lists(st.sampled_from(TAGS), max_size=20).map("".join)


@given(
    texts, st.sampled_from(["<private>", "< Private x>"]), st.lists(st.sampled_from(OPENING), max_size=5).map("".join)
)
def test_text_after_an_opening_tag_is_always_removed(before, opening, inside):
    assert "SECRET" not in without_private(f"{before}{opening}{inside}SECRET")
    assert "SECRET" not in without_private(f"{before}{opening}{inside}SECRET</private>{before}")


@given(st.text("ab </>p\n", max_size=30).filter(lambda text: not text.endswith("<")), texts)
def test_text_outside_spans_stays(text, inside):
    assert without_private(text) == text
    assert without_private(f"{text}<private>{inside}").startswith(text)


def test_many_tags_take_linear_time():
    for unit in ("<private>", "</private>", "<private ", "< private", "<private / ", "<\n\n\n"):
        without_private(unit * 100_000)


PATTERNS = [
    (".env", "/p/.env", True),
    (".env", "/p/a/.env", True),
    (".env", "/p/.ENV", True),
    (".env", "/p/.env.example", False),
    (".env", "/p/x.env", False),
    (".env*", "/p/.env.local", True),
    ("*.pem", "/p/keys/a.pem", True),
    ("*.pem", "/p/keys/a.pem.txt", False),
    ("secrets/", "/p/secrets/a/b.md", True),
    ("secrets", "/p/secrets/a/b.md", True),
    ("secrets/", "/p/secrets", True),
    ("secrets", "/p/mysecrets/a", False),
    ("config/*.yml", "/p/config/a.yml", True),
    ("config/*.yml", "/p/config/a/b.yml", False),
    ("config/**/*.yml", "/p/config/a/b/c.yml", True),
    ("config/**/*.yml", "/p/config/c.yml", True),
    ("config/**", "/p/config/a/b", True),
    ("config/**", "/p/config", False),
    ("**/private/**", "/p/a/private/b", True),
    ("/p/a", "/p/a/b", True),
    ("/a", "/p/a/b", False),
    ("a?c", "/p/abc", True),
    ("a?c", "/p/a/c", False),
    ("[ab].md", "/p/b.md", True),
    ("[!ab].md", "/p/b.md", False),
    ("[!ab].md", "/p/c.md", True),
    (r"\#notes", "/p/#notes", True),
    (r"\!notes", "/p/!notes", True),
    ("#notes", "/p/#notes", False),
    ("", "/p/a", False),
    ("*", "/p/a", True),
    ("a.c", "/p/abc", False),
    ("a/b", "/p/x/a/b/c", True),
    ("C:\\secret", "C:\\secret\\a.txt", True),
]


def test_paths_are_left_out_by_patterns():
    assert [(pattern, path, Ignored([pattern]).path(path)) for pattern, path, _ in PATTERNS] == PATTERNS


def test_the_last_pattern_that_matches_counts():
    lists = Ignored(["*.md", "!README.md", "drafts/"])

    assert lists.path("/p/a.md")
    assert not lists.path("/p/README.md")
    assert lists.path("/p/drafts/README.md")


def test_paths_are_read_as_the_file_system_reads_them(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "secrets").mkdir()
    (tmp_path / "secrets" / "a").write_text("x")
    (tmp_path / "link").symlink_to(tmp_path / "secrets" / "a")
    lists = Ignored(["~/secrets"])

    for path in ("secrets/a", "./x/../secrets/a", "~/secrets/a", f"{tmp_path}/secrets", "link"):
        assert lists.path(path, str(tmp_path)), path
    assert not lists.path("a", str(tmp_path))


CALLS = [
    ({"file_path": "/p/.env"}, True),
    ({"file_path": ".env"}, True),
    ({"notebook_path": "a/.env"}, True),
    ({"uri": "file:///p/.env"}, True),
    ({"paths": ["a", "b/.env"]}, True),
    ({"edits": [{"file": {"path": "x/.env"}}]}, True),
    ({"command": "cat .env | head"}, True),
    ({"command": "set -a; . ./.env"}, True),
    ({"command": "cp 'x/.env' y"}, True),
    ({"command": ["bash", "-lc", "cat <.env"]}, True),
    ({"command": "git show HEAD:.env"}, True),
    ({"input": "*** Begin Patch\n*** Update File: a/.env\n"}, True),
    ({"command": "cat env"}, False),
    ({"file_path": "README.md", "content": ".env"}, False),
    ({"file_path": "README.md", "old_string": "cat .env"}, False),
    ("x/.env", True),
    (None, False),
]


def test_a_call_is_left_out_by_the_paths_in_it():
    assert [(given, Ignored([".env"]).call("Any", given, "/p")) for given, _ in CALLS] == CALLS


def test_everything_in_a_directory_is_left_out():
    lists = Ignored(["/home/me/diary"])

    assert lists.call("", None, "/home/me/diary/2026")
    assert lists.call("Bash", {"command": "ls"}, "/home/me/diary")
    assert not lists.call("Bash", {"command": "ls"}, "/home/me")


GLOBS = [
    ("Bash", "Bash", True),
    ("bash", "Bash", True),
    ("Bash", "BashOutput", False),
    ("mcp__*", "mcp__vault__read", True),
    ("mcp__vault__*", "mcp__web__read", False),
    ("*", "Read", True),
    ("Web?etch", "WebFetch", True),
]


def test_tools_are_left_out_by_globs():
    for glob, tool, is_ignored in GLOBS:
        lists = Ignored(tools=[glob])
        assert lists.tool(tool) is is_ignored, (glob, tool)
        assert lists.call(tool, {}) is is_ignored, (glob, tool)


def test_the_lists_come_from_the_configuration_and_the_environment():
    table = {"url": "x", "capture": {"ignore_paths": ["a"], "ignore_tools": ["B"]}}
    lists = ignored(table, {"SUTURE_IGNORE_PATHS": "c,d\ne", "SUTURE_IGNORE_TOOLS": "F"})

    assert all(lists.path(f"/p/{name}") for name in "acde")
    assert not lists.path("/p/b")
    assert lists.tool("B")
    assert lists.tool("F")
    assert not ignored({}, {}).call("Bash", {"file_path": "a"}, "/p")


@pytest.mark.parametrize(
    "capture",
    ["x", None, {"ignore_paths": "a"}, {"ignore_tools": [1]}, {"ignore_paths": ["[z-a]"]}, {"ignore_tools": None}],
)
def test_lists_that_cannot_be_read_leave_out_everything_and_say_so(capture):
    lists = ignored({"capture": capture}, {})

    assert "Nothing is captured until" in lists.problem
    assert lists.call("", None)
    assert lists.path("x")
    assert lists.tool("x")


@pytest.mark.parametrize("content", [b"url = = 1", b"\xff", None])
def test_with_a_configuration_that_cannot_be_read_nothing_is_captured(content, tmp_path, monkeypatch):
    """The user's wishes are unknown then."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    path = tmp_path / "suture" / "config.toml"
    path.parent.mkdir()
    path.mkdir() if content is None else path.write_bytes(content)

    configured = settings.read()

    assert str(path) in configured.problem
    assert ignored(configured.table, {}).call("Read", {"file_path": "a"})


def test_without_a_configuration_nothing_is_left_out(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))

    assert not ignored(settings.read().table, {}).call("Read", {"file_path": "a"})


def test_importing_it_takes_little():
    heavy = {"typing", "dataclasses", "inspect", "fnmatch", "pathlib", "tomllib", "json"}
    code = (
        "import sys; before = set(sys.modules); from suture_client.filtering import ignored, without_private;"
        "without_private('a <private>b</private>'); ignored({'capture': {'ignore_paths': ['*.md']}}).path('a');"
        "print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", code], cwd=Path(__file__).parents[1], capture_output=True, text=True, check=True
    )

    assert not set(done.stdout.split()) & heavy
