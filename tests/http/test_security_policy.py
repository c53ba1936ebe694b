"""The content security policy: no inline script anywhere, and no evaluation but in the pages of the admin's toolkit."""

import re
import uuid
from typing import Any

import pytest
from django.test import Client

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "review"])


def script_sources(answer: Any) -> str:
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    return str(re.search(r"script-src ([^;]*)", policy)[1])  # type: ignore[index] # each policy has one


@pytest.mark.parametrize("path", ["/api/docs", "/api/docs?script=", "/api/redoc", "/api/schema"])
def test_the_pages_of_the_api_evaluate_nothing(path: str) -> None:
    answer = Client().get(path)
    assert answer.status_code == 200
    assert script_sources(answer) == "'self'"


@pytest.mark.parametrize("path", ["/api/docs", "/api/redoc"])
def test_they_have_no_script_of_their_own_and_nothing_of_another_host(path: str) -> None:
    page = Client().get(path).content.decode()
    assert not re.search(r"<script(?![^>]*\bsrc=)", page)
    assert not re.search(r"""(src|href)="(https?:)?//""", page)


def test_the_pages_of_the_admins_toolkit_may_evaluate_and_its_errors_may_not(world: Any) -> None:
    client = Client()
    assert "'unsafe-eval'" in script_sources(client.get("/admin/login/"))
    client.post("/admin/login/", {"username": world.bob_name, "password": world.passwords["bob"]})
    assert "'unsafe-eval'" in script_sources(client.get("/admin/"))
    missing = client.get(f"/admin/governance/edit/{uuid.uuid4()}/change/")
    assert missing.status_code == 404
    assert "'unsafe-eval'" not in script_sources(missing)
    for answer in (client.get("/admin/login/"), client.get("/admin/"), missing):
        assert "'unsafe-inline'" not in script_sources(answer)
