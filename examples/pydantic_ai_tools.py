"""An agent of Pydantic AI that keeps its own memory.

Install pydantic-ai-slim with the extra of your model's provider, start Suture (`make up`), make an agent, and ask it:

    .venv/bin/python manage.py provision demo --agent example-agent
    export SUTURE_KEY=sut_... OPENAI_API_KEY=...
    .venv/bin/python examples/pydantic_ai_tools.py openai:gpt-5-mini "I have moved to Bern. Please remember it."
"""
# ruff: noqa: T201 - a script to read: it prints

import asyncio
import sys
from typing import Any

from pydantic_ai import Agent, Tool

from suture_client import AsyncMemory

PROMPT = "You keep your own memory with tools. Remember what is worth it; recall before you answer."


async def tools_of(memory: AsyncMemory) -> list[Tool[None]]:
    """The tools remember, recall, correct and forget, within the scope of a memory."""

    def tool(definition: dict[str, Any]) -> Tool[None]:
        async def call(**arguments: Any) -> str:
            return await memory.call({"name": definition["name"], "input": arguments})

        return Tool.from_schema(call, definition["name"], definition["description"], definition["input_schema"])

    return [tool(definition) for definition in await memory.tools("anthropic")]


async def answer(memory: AsyncMemory, model: Any, question: str) -> str:
    """Let the model answer, with every call of a tool that it wants to make on the way."""
    known = await memory.context(question, tokens=1_000)
    agent = Agent(model, instructions=f"{PROMPT}\n\n{known}", tools=await tools_of(memory))
    return (await agent.run(question)).output


async def main() -> None:
    """Answer the question of the command line."""
    async with AsyncMemory() as memory:
        print(await answer(memory.about("user:ada", session="example"), sys.argv[1], sys.argv[2]))


if __name__ == "__main__":
    asyncio.run(main())
