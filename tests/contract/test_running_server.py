"""Schemathesis against a running server: whatever it sends, every answer is one that the document describes.

`tests/hostile/test_answer_as_documented.py` does the same without a server, with the ids of two tenants.
"""

import subprocess
import sys
from pathlib import Path

import httpx
import jsonschema
import pytest

from tests.mcp_server.serving import Serving
from tests.stack.running import HANGS

pytestmark = [pytest.mark.slow, pytest.mark.stack]

CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "missing_required_header",
)


@pytest.mark.parametrize(("who", "phases"), [("agent", "examples,fuzzing"), ("bob", "examples,coverage")])
def test_every_answer_is_documented(serving: Serving, tmp_path, who, phases):
    done = subprocess.run(
        [
            *(str(Path(sys.executable).with_name("st")), "run", f"{serving.url}/api/schema"),
            *("--header", f"Authorization: Bearer {getattr(serving, who)}"),
            *("--phases", phases, "--max-examples", "4", "--seed", "1", "--workers", "2"),
            *("--checks", ",".join(CHECKS), "--continue-on-failure", "--no-color"),
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=HANGS,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-6000:]


def test_what_the_web_server_refuses_is_a_problem_too(serving: Serving, document):
    """Before any view sees it."""
    answer = httpx.post(f"{serving.url}/api/v1/events", content=b"x" * 100_000, timeout=HANGS)
    assert answer.status_code == 413
    problem = {**document["components"]["schemas"]["Problem"], "components": document["components"]}
    jsonschema.validate(answer.json(), problem)
