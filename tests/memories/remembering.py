"""What the tests of memories send."""

from typing import Any

from tests.world import Api

ADA = {"subject_type": "user", "subject_id": "ada"}


def remember(api: Api, text: str = "Ada drinks oolong", **fields: Any) -> dict[str, Any]:
    """Record a memory about Ada; the answer."""
    made: dict[str, Any] = api.ok("post", "memories", {"text": text, **ADA, **fields})
    return made


def found(api: Api, query: str, **fields: Any) -> list[str]:
    """The texts of the memories that a search finds."""
    return [one["text"] for one in api.ok("post", "memories/search", {"query": query, **fields})["results"]]


def listed(api: Api, **parameters: Any) -> list[str]:
    """The texts of a list of memories."""
    query = "&".join(f"{name}={value}" for name, value in parameters.items())
    return [one["text"] for one in api.ok("get", f"memories?{query}")["results"]]
