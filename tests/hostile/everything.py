"""One of everything that a tenant can hold, and the ids by which the API knows it."""

import re
from collections import defaultdict
from typing import Any

from governance.identity import identities
from tests.capture.capturing import PROMPT, body, part
from tests.erasure.conftest import admins_of
from tests.factories import CapsuleFactory
from tests.world import Api, World

UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class Everything:
    """What a tenant holds. Its admin is carol, and it has an agent whose name no other tenant knows."""

    def __init__(self, world: World, words: str) -> None:
        self.world = world
        #: What stands in every text that is remembered.
        self.words = words
        #: Ids by what they are of: `ids["chunk"]`.
        self.ids: defaultdict[str, list[str]] = defaultdict(list)
        self.session, self.agent = f"session-{world.slug}", f"agent-{world.slug}"
        self.outsider = Api(identities.provision(world.slug, agents=[(self.agent, [])]).agents[self.agent]["key"])
        self.carol = admins_of(world).carol
        self._fill()

    @property
    def all_ids(self) -> set[str]:
        """Every id of every kind."""
        return {one for some in self.ids.values() for one in some}

    @property
    def callers(self) -> dict[str, Api]:
        """One of each role."""
        world = self.world
        return {"agent": world.alice, "reviewer": world.bob, "auditor": world.auditor, "admin": self.carol}

    def _note(self, value: Any, kind: str = "") -> None:
        if isinstance(value, dict):
            for name, one in value.items():
                self._note(one, name.removesuffix("s").removesuffix("_id"))
        elif isinstance(value, list):
            for one in value:
                self._note(one, kind)
        elif isinstance(value, str) and UUID.fullmatch(value) and value != str(self.world.tenant_id):
            self.ids[kind].append(value)

    def _made(self, api: Api, path: str, sent: Any, kind: str = "id") -> Any:
        answer = api.ok("post", path, sent)
        self._note({kind if name == "id" else name: value for name, value in answer.items()})
        return answer

    def _event(self, kind: str = "message", **content: Any) -> Any:
        about = {"subject_type": "user", "subject_id": "jack", "project_id": "alpha"}
        draft = self.world.draft(self.words, kind=kind, session_id=self.session, content={**content, **about})
        return self._made(self.world.alice, "events", draft)

    def _fill(self) -> None:
        alice, bob, words = self.world.alice, self.world.bob, self.words
        chunk = self._event()["chunk_ids"][0]
        decision = self._event("decision", decision=words)["decision_id"]
        self._event("task_update", title=words, status="open")
        artifact = self._event("artifact", name=words, media_type="text/plain")["artifact_id"]
        on_chunk = {"target_type": "chunk", "target_id": chunk, "reason": words}
        self._made(alice, "edits", {**on_chunk, "op": "amend", "patch": {"text": f"{words} again"}})
        self._made(alice, "edits", {**on_chunk, "op": "quarantine", "patch": {}})
        items = {"chunks": [chunk], "decisions": [decision], "artifacts": [artifact]}
        self._made(alice, "capsules", CapsuleFactory(subject_id="jack", items=items, note=words))
        self._made(alice, "acb/build", {"session_id": self.session, "channel": "private", "query": words})
        self._made(alice, "tools/memory_commit", {"content": words})
        self._made(alice, "memories", {"text": words, "key": "one", "metadata": {"topic": words}}, kind="memory")
        self._made(alice, "tools/block_update", {"label": "persona", "content": words})
        self._made(alice, "captures", body(words, PROMPT, compute_embedding=False, session_id=self.session))
        self._made(alice, "files", part("notes.md", words, compute_embedding=False))
        state = {"pending_operations": [{"id": "fetch"}], "messages": [words]}
        self._made(alice, f"sessions/{self.session}/checkpoints", state, "checkpoint_id")
        self._made(self.carol, "erasures", {"by": "event", "id": self._event()["event_id"], "reason": words})
        self._made(self.carol, "policy/changes", {"preset": "open", "overrides": [], "reason": words})
        related = {"principal": "user:jack", "relation": "member", "object": "role:sales", "reason": words}
        self._made(bob, "relations", related, "relation_id")
        implied = {"object_type": "role", "relation": "member", "implies": "guest"}
        self._made(self.carol, "implied-relations", implied, "implied")
        self._made(
            self.carol, "audience-rules", {"tag": "x", "audience": {"roles": ["sales"]}, "reason": words}, "rule"
        )
        self._made(bob, f"chunks/{chunk}/promote", {"tier": "session", "reason": words})
        self._made(alice, f"chunks/{chunk}/outcome", {"outcome": "success", "session_id": self.session})
