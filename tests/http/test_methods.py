"""TRACE and its like: 405 at every address, with a body that echoes nothing."""

import pytest
from django.test import Client

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize("path", ["/", "/api/v1/events", "/api/docs", "/admin/", "/nothing"])
@pytest.mark.parametrize("method", ["TRACE", "TRACK", "CONNECT"])
def test_it_is_405_everywhere(path: str, method: str) -> None:
    answer = Client().generic(method, path, headers={"X-Secret": "a secret header"})
    assert answer.status_code == 405
    assert "GET" in answer.headers["Allow"]
    assert b"a secret header" not in answer.content
    assert answer.content
    if not path.startswith("/admin/"):
        assert answer.json()["code"] == "method-not-allowed"
