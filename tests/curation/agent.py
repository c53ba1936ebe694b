"""An agent as these tests use it: each method is one tool, called over HTTP."""

from typing import Any

from tests.tools.calls import call
from tests.world import Api


class Agent:
    """The tools of one caller's own memory. Answers must be successes, and what their declarations say."""

    def __init__(self, api: Api) -> None:
        self.api = api

    def commit(self, content: str, **arguments: Any) -> dict[str, Any]:
        return call(self.api, "memory_commit", {"content": content, **arguments})

    def commits(self, *contents: str, **arguments: Any) -> list[int]:
        """The numbers of several."""
        return [self.commit(content, **arguments)["seq"] for content in contents]

    def rethink(self, supersedes: list[int], understanding: str, **arguments: Any) -> dict[str, Any]:
        return call(
            self.api, "memory_rethink", {"supersedes": supersedes, "newUnderstanding": understanding, **arguments}
        )

    def update(self, label: str, content: str, **arguments: Any) -> dict[str, Any]:
        return call(self.api, "block_update", {"label": label, "content": content, **arguments})

    def block(self, label: str, **arguments: Any) -> Any:
        """The present version, or None."""
        return call(self.api, "block_get", {"label": label, **arguments})["memory"]

    def versions(self, label: str, **arguments: Any) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = call(self.api, "block_history", {"label": label, **arguments})["versions"]
        return found

    def recall(self, query: str, **arguments: Any) -> list[str]:
        """The words of what is recalled, best first."""
        found = call(self.api, "memory_recall", {"query": query, **arguments})
        return [one["content"] for one in found["memories"]]

    def core(self) -> list[str]:
        return [one["content"] for one in call(self.api, "core_memories")["memories"]]

    def memory(self, seq: int, **parameters: Any) -> dict[str, Any]:
        asked = "&".join(f"{name}={value}" for name, value in parameters.items())
        found: dict[str, Any] = self.api.ok("get", f"chain/{seq}?{asked}")
        return found

    def listed(self, **parameters: Any) -> list[str]:
        """The words of the agent's memories, the newest first."""
        asked = "&".join(f"{name}={value}" for name, value in {"limit": 200, **parameters}.items())
        return [one["content"] for one in self.api.ok("get", f"chain?{asked}")["results"]]

    def bootstrap(self, **body: Any) -> dict[str, Any]:
        made: dict[str, Any] = self.api.ok("post", "context/bootstrap", body)
        return made
