"""The OpenAPI document, as the server answers it."""

import json
from typing import Any

import pytest
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiJsonRenderer


@pytest.fixture(scope="session")
def document() -> dict[str, Any]:
    """The document of `GET /api/schema`."""
    made = SchemaGenerator().get_schema(request=None, public=True)
    found: dict[str, Any] = json.loads(OpenApiJsonRenderer().render(made))
    return found
