"""A running server sends its version, and refuses unsupported clients."""

import httpx
import pytest

from memory_project.web.versions import VERSION
from tests.mcp_server.serving import Serving

pytestmark = pytest.mark.stack


@pytest.mark.parametrize("path", ["/readyz", "/api/v1/events", "/mcp", "/admin/login/", "/nothing"])
def test_each_answer_names_the_servers_version(serving: Serving, path: str) -> None:
    assert httpx.get(f"{serving.url}{path}").headers["X-Suture-Version"] == VERSION


def test_a_newer_client_is_refused_before_anything_is_done(serving: Serving) -> None:
    headers = {"Authorization": f"Bearer {serving.agent}", "X-Suture-Version": "9.0.0"}
    answer = httpx.post(f"{serving.url}/api/v1/events", json={}, headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (400, "unsupported-client-version")
    assert "Upgrade the server." in answer.json()["detail"]
