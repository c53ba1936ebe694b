"""An agent that keeps its own memory: the messages of Anthropic.

Start Suture (`make up`), make an agent, and ask it something with its key:

    .venv/bin/python manage.py provision demo --agent example-agent
    export SUTURE_KEY=sut_... ANTHROPIC_API_KEY=...
    .venv/bin/python examples/anthropic_tools.py "I have moved to Bern. Please remember it."

ANTHROPIC_BASE_URL and ANTHROPIC_MODEL name another service and another model.
"""
# ruff: noqa: T201 - a script to read: it prints

import os
import sys
from typing import Any

import httpx

PROMPT = "You keep your own memory with tools. Commit what is worth remembering; recall before you answer."
MODEL = os.environ.get("ANTHROPIC_MODEL", "claude-haiku-4-5")
suture = httpx.Client(
    base_url=os.environ.get("SUTURE_URL", "http://127.0.0.1:8000") + "/api/v1/",
    headers={"Authorization": f"Bearer {os.environ['SUTURE_KEY']}"},
    timeout=60,
)
anthropic = httpx.Client(
    base_url=os.environ.get("ANTHROPIC_BASE_URL", "https://api.anthropic.com") + "/v1/",
    headers={"x-api-key": os.environ["ANTHROPIC_API_KEY"], "anthropic-version": "2023-06-01"},
    timeout=120,
)


def result(used: dict[str, Any]) -> dict[str, Any]:
    """What a tool answers. A refusal is an answer too: it says what is wrong, and the model tries again."""
    said = suture.post(f"tools/{used['name']}", json=used["input"])
    return {"type": "tool_result", "tool_use_id": used["id"], "content": said.text, "is_error": said.is_error}


def answer(question: str) -> str:
    """Let the model answer, with every tool call that it wants to make on the way. It begins with what it knows."""
    known = suture.post("context/bootstrap", json={"query": question}).raise_for_status().json()["system_prompt"]
    tools = suture.get("tools", params={"format": "anthropic"}).raise_for_status().json()["tools"]
    system = f"{PROMPT}\n\n{known}"
    messages: list[dict[str, Any]] = [{"role": "user", "content": question}]
    while True:
        request = {"model": MODEL, "max_tokens": 2_000, "messages": messages, "tools": tools, "system": system}
        content = anthropic.post("messages", json=request).raise_for_status().json()["content"]
        used = [block for block in content if block["type"] == "tool_use"]
        if not used:
            return "".join(block["text"] for block in content if block["type"] == "text")
        messages.append({"role": "assistant", "content": content})
        messages.append({"role": "user", "content": [result(block) for block in used]})


print(answer(sys.argv[1]))
