"""A parameter in the address is read or refused, never passed over."""

import re
import uuid
from typing import Any

from drf_spectacular.generators import SchemaGenerator

PATHS: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)["paths"]
OPERATIONS = [
    (verb, re.sub(r"\{\w+\}", str(uuid.UUID(int=1)), path.replace("{seq}", "1")).removeprefix("/api/v1/"))
    for path, methods in PATHS.items()
    for verb in ("get", "post", "delete")
    if verb in methods
]


def test_an_unknown_parameter_is_named_wherever_it_stands(world):
    for verb, path in OPERATIONS:
        answer = world.bob.request(verb, f"{path}?dry_run=true")
        assert answer.status_code == 400, (verb, path)
        found = [fault["detail"] for fault in answer.json()["errors"] if fault.get("parameter") == "dry_run"]
        assert [detail.partition(" ")[0] for detail in found] == ["Unknown"], (verb, path)


def test_a_repeated_parameter_is_named(world):
    answer = world.alice.get("chunks?scope=user&scope=session")
    assert (answer.status_code, answer.json()["errors"]) == (
        400,
        [{"parameter": "scope", "detail": "This parameter is repeated.", "code": "repeated-parameter"}],
    )


def test_without_a_key_nothing_is_said_of_parameters(db, nobody):
    assert nobody("get", "policy?x=1").status_code == 401
