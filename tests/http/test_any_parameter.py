"""Every parameter of every GET of the API: what it cannot mean is a 400 that names it, and never a failure."""

import re
import uuid
from typing import Any
from urllib.parse import unquote

import pytest
from drf_spectacular.generators import SchemaGenerator

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]

#: For times, numbers, ids and choices, and for texts.
NEVER = ("", "%00", "x%00", "9999-12-31T23:59:59-23:59", "0001-01-01T00:00:00%2B23:59", "2026-02-30T00:00:00Z",
         "-1", "9" * 400, "%D9%A1", "1e3", "%7Burn:uuid:0%7D", "%FF", "nan")  # fmt: skip

#: Malformed, of something that is not there, or not for a reviewer.
REFUSED = (400, 404, 403)


def parameters() -> list[tuple[str, str, dict[str, Any]]]:
    """Address, name and schema of each."""
    found = []
    for path, operations in SchemaGenerator().get_schema(request=None, public=True)["paths"].items():
        address = re.sub(r"\{[^}]*\}", str(uuid.UUID(int=1)), path)
        for parameter in operations.get("get", {}).get("parameters", ()):
            if parameter["in"] == "query" and path.startswith("/api/v1/"):
                found.append((address, parameter["name"], parameter["schema"]))
    return found


@pytest.fixture
def status_of(world: Any) -> Any:
    world.chunk("fox")

    def ask(address: str, name: str, value: str) -> int:
        path = address.removeprefix("/api/v1/")
        answer = world.bob.get(f"{path}?{name}={value}")
        if answer.status_code == 400:
            named = {fault.get("parameter") for fault in answer.json()["errors"]}
            assert name in named or (unquote(value).isalnum() and named), (
                address,
                name,
                value,
            )  # another may be missing
        return int(answer.status_code)

    return ask


def test_there_are_such_parameters() -> None:
    assert {"since", "until", "limit", "status"} <= {name for _, name, _ in parameters()}


def test_no_value_makes_the_server_fail(status_of: Any) -> None:
    for address, name, schema in parameters():
        for value in NEVER:
            status = status_of(address, name, value)
            assert status < 500, (address, name, value)
            if "%00" in value or schema.get("format") == "date-time":
                assert status in REFUSED, (address, name, value)


def test_an_empty_value_is_refused_as_any_other_that_means_nothing(status_of: Any) -> None:
    for address, name, _ in parameters():
        assert status_of(address, name, "") in REFUSED, (address, name)
