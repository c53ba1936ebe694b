"""A graph of LangGraph whose long-term memory and state are in Suture, and a correction that it hears of.

Start Suture (`make up`), make an agent, and run the graph with its key:

    .venv/bin/python manage.py provision demo --agent example-agent
    export SUTURE_KEY=sut_...
    .venv/bin/python examples/langgraph_store.py "Ada drinks oolong"
"""
# ruff: noqa: T201 - a script to read: it prints

import asyncio
import json
import sys
from typing import Any

from langchain_core.messages import HumanMessage
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.store.base import BaseStore

from suture_client import AsyncMemory
from suture_client.checkpointing.langgraph import SutureSaver
from suture_client.storing.langgraph import SutureStore

ADA = ("users", "ada")


async def remember(state: MessagesState, *, store: BaseStore) -> dict[str, Any]:
    """Store what the user said. A model would decide what is worth it."""
    await store.aput(ADA, "drink", {"text": state["messages"][-1].content})
    return {}


async def answer(state: MessagesState, *, store: BaseStore) -> dict[str, Any]:
    """Answer from memory."""
    found = await store.asearch(ADA, query="drinks")
    return {"messages": [("ai", found[0].value["text"])]}


async def main(said: str) -> None:
    """Run the graph, correct what it stored, and read it again."""
    builder = StateGraph(MessagesState)
    builder.add_sequence([remember, answer])
    builder.add_edge(START, "remember")
    async with SutureStore() as store, SutureSaver() as saver, AsyncMemory() as memory:
        graph = builder.compile(store=store, checkpointer=saver)
        done = await graph.ainvoke({"messages": [HumanMessage(said)]}, {"configurable": {"thread_id": "example"}})
        print(done["messages"][-1].content)
        item = await memory.about("store:users/ada/").get(key="drink")
        await item.correct(json.dumps({"text": "Ada drinks coffee"}), reason="She said so")
        corrected = await store.aget(ADA, "drink")
        print(corrected.value["text"] if corrected else None)


asyncio.run(main(sys.argv[1]))
