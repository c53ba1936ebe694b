"""Payloads that are not quite JSON in UTF-8 are captured all the same."""

import codecs
import json

import pytest

from suture_client.hooks.payload import _parse_object
from tests.hooks.machine import SESSION

pytestmark = pytest.mark.pure

PROMPT = {"session_id": SESSION, "hook_event_name": "UserPromptSubmit", "prompt": "Größe 漢字: fix it"}
JSON = json.dumps(PROMPT, ensure_ascii=False)


@pytest.mark.parametrize(
    "payload",
    [
        codecs.BOM_UTF8 + JSON.encode(),
        JSON.encode("utf-16"),
        JSON.encode("utf-16-le"),
        JSON.encode("utf-16-be"),
        codecs.BOM_UTF16_BE + JSON.encode("utf-16-be"),
        JSON.encode("utf-16") + "\r\n".encode("utf-16-le"),
    ],
)
def test_byte_order_marks_and_utf_16(client, api, payload):
    client.suture("hook", given=payload)
    assert api.contents == [PROMPT["prompt"]]


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (r"C:\Users\stans", r"C:\Users\stans"),
        (r"C:\Users\new\table", r"C:\Users\new\table"),
        (r"C:\users\x", r"C:\users\x"),
        (r"C:\Users\ufeed", r"C:\Users\ufeed"),
        (r"\\server\share\x", r"\\server\share\x"),
        (r"C:\\Users\\x", r"C:\Users\x"),
        (r"C:\Users" + "\\", r"C:\Users" + "\\"),
        (r"say \"C:\Users\" now", r'say "C:\Users" now'),
        ("two\nlines\tand", "two\nlines\tand"),
    ],
)
def test_backslashes_that_are_not_escaped(written, read):
    found = _parse_object(bytearray(f'{{"cwd": "{written}", "list": ["{written}"], "prompt": "a\\nb"}}'.encode()))

    assert found is not None
    assert found["cwd"].replace("\\\\", "\\") == read.replace("\\\\", "\\")
    assert found["list"] == [found["cwd"]]
    assert found["prompt"] == "a\nb"


def test_a_windows_path_in_a_payload(client, api):
    payload = (
        rf'{{"session_id": "{SESSION}", "hook_event_name": "UserPromptSubmit", "cwd": "C:\Users\x", "prompt": "Hi"}}'
    )
    client.suture("hook", given=payload.encode())
    assert api.contents == ["Hi"]


def test_colours_are_dropped(client, api):
    client.hook(
        hook_event_name="UserPromptSubmit",
        session_id=SESSION,
        prompt="\x1b[1;31merror\x1b[0m: \x9b32mok \x1b]8;;http://x\x07link\x1b]8;;\x1b\\ \x1b(B!",
    )
    assert api.contents == ["error: ok link !"]
