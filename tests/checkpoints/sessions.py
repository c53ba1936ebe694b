"""A running session as its agent reports it."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tests.world import Api

#: A state that has something in every field.
STATE: dict[str, Any] = {
    "repl_state": {"x": 1, "names": ["Jack", "Zoë"], "nested": {"deep": [1.5, None, True]}},
    "working_memory": {"plan": "look, then leap"},
    "pending_operations": [{"id": "fetch-1", "url": "https://example.org"}, {"tool": "grep"}],
    "trajectory_events": [{"event": "started"}, {"event": "asked", "at": 17}],
    "cost_so_far": 0.25,
    "messages": [{"role": "user", "content": 'say "a: b"\n'}],
    "metadata": {"model": "m-1"},
}
#: What a state has that names nothing.
DEFAULTS: dict[str, Any] = {
    "repl_state": {},
    "working_memory": {},
    "pending_operations": [],
    "trajectory_events": [],
    "cost_so_far": 0,
    "messages": [],
    "metadata": {},
    "depth": 0,
    "format_version": "1.0",
}


@dataclass(frozen=True)
class Session:
    """A session of an agent. `ask` answers the response, the others the JSON of one that must be a success."""

    api: Api
    id: str
    #: The agent that the requests name as the session's owner.
    owner: str | None = None

    @property
    def address(self) -> str:
        return f"sessions/{quote(self.id, safe='')}"

    def by(self, api: Api, owner: str | None = None) -> "Session":
        """The session of this name, as another agent asks for it."""
        return replace(self, api=api, owner=owner)

    def at(self, address: str) -> str:
        """An address with the owner."""
        if self.owner is None:
            return address
        return f"{address}{'&' if '?' in address else '?'}owner={self.owner}"

    def ask(self, method: str, below: str = "", body: Any = None, **headers: str) -> Any:
        return self.api.request(method, self.at(self.address + below), body, **headers)

    def ok(self, method: str, below: str = "", body: Any = None) -> Any:
        return self.api.ok(method, self.at(self.address + below), body)

    def checkpoint(self, **fields: Any) -> dict[str, Any]:
        made: dict[str, Any] = self.ok("post", "/checkpoints", {**STATE, **fields})
        return made

    def turn(self, number: int, **fields: Any) -> dict[str, Any]:
        """Report a turn with a state of its own."""
        state = {**STATE, "repl_state": {"turn": number}}
        said: dict[str, Any] = self.ok("put", "/turn", {"turn": number, **state, **fields})
        return said

    def restore(self, checkpoint_id: str) -> dict[str, Any]:
        restored: dict[str, Any] = self.api.ok("post", self.at(f"checkpoints/{checkpoint_id}/restore"), {})
        return restored

    def listed(self, query: str = "") -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.ok("get", f"/checkpoints{query}")["results"]
        return found


def files_in(root: Path) -> list[str]:
    """The files below a root, by their paths."""
    return sorted(str(path.relative_to(root)) for path in root.rglob("*") if not path.is_dir())


def refused(response: Any, status: int, code: str | None = None) -> dict[str, Any]:
    """The problem of a response that must be this refusal."""
    problem: dict[str, Any] = response.json()
    assert response.status_code == status, problem
    if code is not None:
        assert problem["code"] == code, problem
    return problem
