"""An agent that keeps its own memory: OpenAI's Responses API, or any service that speaks its protocol.

Start Suture (`make up`), make an agent, and ask it something with its key:

    .venv/bin/python manage.py provision demo --agent example-agent
    export SUTURE_KEY=sut_... OPENAI_API_KEY=...
    .venv/bin/python examples/openai_responses.py "I have moved to Bern. Please remember it."

OPENAI_BASE_URL and OPENAI_MODEL name another service and another model.
"""
# ruff: noqa: T201 - a script to read: it prints

import os
import sys
from typing import Any

import httpx

from suture_client import Memory

PROMPT = "You keep your own memory with tools. Remember what is worth it; recall before you answer."
MODEL = os.environ.get("OPENAI_MODEL", "gpt-5-mini")
openai = httpx.Client(
    base_url=os.environ.get("OPENAI_BASE_URL", "https://api.openai.com/v1") + "/",
    headers={"Authorization": f"Bearer {os.environ['OPENAI_API_KEY']}"},
    timeout=120,
)


def answer(memory: Memory, question: str) -> str:
    """Let the model answer, with every call of a tool that it wants to make on the way."""
    known = memory.context(question, tokens=1_000)
    given: list[dict[str, Any]] = [{"role": "user", "content": question}]
    while True:
        request = {
            "model": MODEL,
            "instructions": f"{PROMPT}\n\n{known}",
            "input": given,
            "tools": memory.tools("openai-responses"),
        }
        output = openai.post("responses", json=request).raise_for_status().json()["output"]
        given += output
        calls = [one for one in output if one["type"] == "function_call"]
        if not calls:
            said = [part for one in output if one["type"] == "message" for part in one["content"]]
            return "".join(part["text"] for part in said if part["type"] == "output_text")
        for call in calls:
            # a refusal is an answer, too: it says what is wrong, and the model tries again
            given.append({"type": "function_call_output", "call_id": call["call_id"], "output": memory.call(call)})


with Memory() as memory:
    print(answer(memory.about("user:ada", session="example"), sys.argv[1]))
