"""MCP over standard input: every request gets an answer, also one that cannot be read."""

import json
import os
import subprocess
import sys
from typing import Any

import pytest
from mcp.types import INVALID_REQUEST, PARSE_ERROR

from suture_client.mcp.lines import read

pytestmark = pytest.mark.pure

_HALF = rb"\ud83d"
#: A line, the id of its answer, the error's code and a part of its text.
REFUSED: list[tuple[bytes, Any, int, str]] = [
    (b'{"jsonrpc":"2.0","id":7,"method":"m","params":{"a":"' + _HALF + b'"}}', 7, PARSE_ERROR, "half"),
    (b'{"jsonrpc":"2.0","id":"s","method":"m","params":{"a":["x","\\udE00 "]}}', "s", PARSE_ERROR, "half"),
    (b'{"jsonrpc":"2.0","id":7,"method":"m","params":{"' + _HALF + b'":1}}', 7, PARSE_ERROR, "half"),
    (b'{"jsonrpc":"2.0","id":"' + _HALF + b'","method":"m"}', None, PARSE_ERROR, "half"),
    (b'{"jsonrpc":"2.0","id":7,"method":"m","params":{"a":"\xff"}}', 7, PARSE_ERROR, "UTF-8"),
    (b"\xff\xfe{\x00}\x00", None, PARSE_ERROR, "UTF-8"),
    (b'{"jsonrpc":"2.0","id":null,"method":"m"}', None, INVALID_REQUEST, "whole number"),
    (b'{"jsonrpc":"2.0","id":1.5,"method":"m"}', None, INVALID_REQUEST, "whole number"),
    (b'{"jsonrpc":"2.0","id":true,"method":"m"}', None, INVALID_REQUEST, "whole number"),
    (b'{"jsonrpc":"2.0","id":[1],"method":"m"}', None, INVALID_REQUEST, "whole number"),
    (b'{"jsonrpc":"2.0","id":7,"method":"m","params":[]}', 7, INVALID_REQUEST, "params"),
    (b'{"jsonrpc":"1.0","id":7,"method":"m"}', 7, INVALID_REQUEST, "2.0"),
    (b'{"id":7,"method":"m"}', 7, INVALID_REQUEST, "2.0"),
    (b'{"jsonrpc":"2.0","id":7}', 7, INVALID_REQUEST, "method"),
    (b'{"jsonrpc":"2.0","id":7,', None, PARSE_ERROR, "line 1"),
    (b"hello", None, PARSE_ERROR, "line 1"),
    (b"[]", None, INVALID_REQUEST, "object"),
    (b"7", None, INVALID_REQUEST, "object"),
    (b"[" * 100_000, None, PARSE_ERROR, "nested"),
]


@pytest.mark.parametrize(("line", "request_id", "code", "said"), REFUSED, ids=range(len(REFUSED)))
def test_a_line_that_cannot_be_read_gets_an_error(line: bytes, request_id: Any, code: int, said: str) -> None:
    _, refusal = read(line)
    assert refusal is not None
    assert (refusal.id, refusal.error.code) == (request_id, code)
    assert said in refusal.error.message
    assert refusal.model_dump_json()


@pytest.mark.parametrize(
    "line",
    [
        b'{"jsonrpc":"2.0","id":7,"method":"m","params":{"a":"\\ud83d\\ude00 \xf0\x9f\x98\x80 \xe2\x80\xa8"}}',
        b'{"jsonrpc":"2.0","id":"7","method":"m"}',
        b'{"jsonrpc":"2.0","method":"m"}',
        b'{"jsonrpc":"2.0","id":1,"result":{}}',
    ],
)
def test_a_message_is_passed_on(line: bytes) -> None:
    assert read(line)[1] is None


def test_a_client_gets_an_answer_to_every_line_and_each_on_one_line() -> None:
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    lines = [
        b"\xef\xbb\xbf" + json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}).encode(),
        b'{"jsonrpc":"2.0","method":"notifications/initialized"}\r',
        b"",
        b'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"x","arguments":{"a":"\\ud83d"}}}',
        b"{bad",
        '{"jsonrpc":"2.0","id":3,"method":"prompts/get","params":{"name":"a\u2028b\u2029c\x85d"}}'.encode(),
        b'{"jsonrpc":"2.0","id":4,"method":"prompts/list"}',
    ]
    nowhere = {"SUTURE_URL": "http://127.0.0.1:9", "SUTURE_KEY": "sut_x"}
    done = subprocess.run(
        [sys.executable, "-c", "from suture_client.cli import app; app()", "mcp"],
        input=b"\n".join(lines),
        capture_output=True,
        env={**os.environ, **nowhere},
        timeout=60,
        check=True,
    )
    answers = [json.loads(line) for line in done.stdout.decode().splitlines()]
    assert sorted(str(one["id"]) for one in answers) == ["1", "2", "3", "4", "None"]
    (named,) = (one["error"]["message"] for one in answers if one["id"] == 3)
    assert "a" in named
