"""An agent that keeps its own memory: the chat completions of OpenAI, or of any service that speaks their protocol.

Start Suture (`make up`), make an agent, and ask it something with its key:

    .venv/bin/python manage.py provision demo --agent example-agent
    export SUTURE_KEY=sut_... OPENAI_API_KEY=...
    .venv/bin/python examples/openai_tools.py "I have moved to Bern. Please remember it."

OPENAI_BASE_URL and OPENAI_MODEL name another service and another model.
"""
# ruff: noqa: T201 - a script to read: it prints

import os
import sys
from typing import Any

import httpx

PROMPT = "You keep your own memory with tools. Commit what is worth remembering; recall before you answer."
MODEL = os.environ.get("OPENAI_MODEL", "gpt-4o-mini")
suture = httpx.Client(
    base_url=os.environ.get("SUTURE_URL", "http://127.0.0.1:8000") + "/api/v1/",
    headers={"Authorization": f"Bearer {os.environ['SUTURE_KEY']}", "Content-Type": "application/json"},
    timeout=60,
)
openai = httpx.Client(
    base_url=os.environ.get("OPENAI_BASE_URL", "https://api.openai.com/v1") + "/",
    headers={"Authorization": f"Bearer {os.environ['OPENAI_API_KEY']}"},
    timeout=120,
)


def call(function: dict[str, str]) -> str:
    """What a tool answers. A refusal is an answer too: it says what is wrong, and the model tries again."""
    return suture.post(f"tools/{function['name']}", content=function["arguments"]).text


def answer(question: str) -> str:
    """Let the model answer, with every tool call that it wants to make on the way. It begins with what it knows."""
    known = suture.post("context/bootstrap", json={"query": question}).raise_for_status().json()["system_prompt"]
    tools = suture.get("tools", params={"format": "openai"}).raise_for_status().json()["tools"]
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": f"{PROMPT}\n\n{known}"},
        {"role": "user", "content": question},
    ]
    while True:
        request = {"model": MODEL, "messages": messages, "tools": tools}
        said = openai.post("chat/completions", json=request).raise_for_status().json()["choices"][0]["message"]
        messages.append(said)
        if not said.get("tool_calls"):
            return str(said["content"])
        for made in said["tool_calls"]:
            messages.append({"role": "tool", "tool_call_id": made["id"], "content": call(made["function"])})


print(answer(sys.argv[1]))
