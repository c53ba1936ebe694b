"""An agent of OpenAI's Agents SDK that keeps its own memory.

Install openai-agents, start Suture (`make up`), make an agent, and ask it:

    .venv/bin/python manage.py provision demo --agent example-agent
    export SUTURE_KEY=sut_... OPENAI_API_KEY=...
    .venv/bin/python examples/openai_agents.py "I have moved to Bern. Please remember it."

OPENAI_BASE_URL and OPENAI_DEFAULT_MODEL name another service and another model.
"""
# ruff: noqa: T201 - a script to read: it prints

import asyncio
import sys
from typing import Any

from agents import Agent, FunctionTool, RunConfig, Runner

from suture_client import AsyncMemory

PROMPT = "You keep your own memory with tools. Remember what is worth it; recall before you answer."
#: Traces would send every memory that a tool returns to OpenAI.
CONFIG = RunConfig(tracing_disabled=True)


async def tools_of(memory: AsyncMemory) -> list[FunctionTool]:
    """The tools remember, recall, correct and forget, within the scope of a memory."""

    def tool(definition: dict[str, Any]) -> FunctionTool:
        name = definition["name"]

        async def call(context: object, arguments: str) -> str:
            # a refusal is an answer, too: it says what is wrong, and the model tries again
            return await memory.call({"name": name, "arguments": arguments})

        return FunctionTool(name, definition["description"], definition["parameters"], call, strict_json_schema=False)

    return [tool(definition) for definition in await memory.tools("openai-responses")]


async def answer(memory: AsyncMemory, question: str) -> str:
    """Let the model answer, with every call of a tool that it wants to make on the way."""
    known = await memory.context(question, tokens=1_000)
    agent = Agent("Assistant", instructions=f"{PROMPT}\n\n{known}", tools=[*await tools_of(memory)])
    return str((await Runner.run(agent, question, run_config=CONFIG)).final_output)


async def main() -> None:
    """Answer the question of the command line."""
    async with AsyncMemory() as memory:
        print(await answer(memory.about("user:ada", session="example"), sys.argv[1]))


if __name__ == "__main__":
    asyncio.run(main())
