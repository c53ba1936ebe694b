"""Record a memory, correct it, withdraw another, and see what readers find. Standard library only.

Start Suture (`make up`), make the two who act here, and run this with their keys:

    .venv/bin/python manage.py provision demo --agent example-agent --reviewer example-reviewer
    AGENT_KEY=sut_... REVIEWER_KEY=sut_... .venv/bin/python examples/correct_a_memory.py
"""
# ruff: noqa: T201, S310 - a script to read: it prints, and it opens the address that you name

import json
import os
import urllib.request
from typing import Any

SERVER = os.environ.get("SUTURE_URL", "http://127.0.0.1:8000")
AGENT, REVIEWER = os.environ["AGENT_KEY"], os.environ["REVIEWER_KEY"]
# Without the proxy that the environment may name: the server is on this machine.
OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def post(path: str, key: str, body: dict[str, Any]) -> dict[str, Any]:
    """Call the API as the key's owner. An answer of 400 or more raises HTTPError, and its body says why."""
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    request = urllib.request.Request(f"{SERVER}/api/v1/{path}", json.dumps(body).encode(), headers)
    with OPENER.open(request) as answer:
        return dict(json.load(answer))


def record(text: str) -> str:
    """What happened, as the agent saw it; returns the id of the chunk that readers will find."""
    content = {"text": text, "scope": "user", "subject_type": "user", "subject_id": "ada-lovelace-001"}
    where = {"session_id": "example", "channel": "private", "kind": "message"}
    event = {**where, "actor_type": "agent", "actor_id": "example-agent", "content": content}
    return str(post("events", AGENT, event)["chunk_ids"][0])


def show(when: str) -> None:
    """What a search for this customer finds."""
    found = post("chunks/search", AGENT, {"query": "Lovelace", "subject_id": "ada-lovelace-001"})
    print(f"{when}:", *(f"  {chunk['text']} (edits: {chunk['edits_applied']})" for chunk in found["chunks"]), sep="\n")


def propose(chunk_id: str, op: str, reason: str, **patch: Any) -> dict[str, Any]:
    """Propose a correction. What it changes is in `patch`; the tenant's policy decides whether it must wait."""
    edit = {"target_type": "chunk", "target_id": chunk_id, "op": op, "reason": reason, "patch": patch}
    outcome = post("edits", AGENT, edit)
    print(f"{op}: {outcome['status']}")
    return outcome


renewal = record("Ms Lovelace renews her contract on 31 October.")
secret = record("Ms Lovelace read out her card number: 4111 1111 1111 1111.")
show("Recorded")
# Under the policy `standard` an agent's amend applies at once; its quarantine waits for a person.
propose(renewal, "amend", "She said November.", text="Ms Lovelace renews her contract on 30 November.")
hidden = propose(secret, "quarantine", "No card numbers in memory.")
show("Amended, the quarantine pending")
if hidden["status"] == "pending":
    print("approve:", post(f"edits/{hidden['edit_id']}/approve", REVIEWER, {"reason": "Agreed."})["status"])
show("Approved")
