"""A graph of LangGraph, which any of its savers keeps."""

from typing import Any, TypedDict

from langgraph.graph import END, START, StateGraph

#: The steps of a run, and of the thread whose history is read.
STEPS, LONG = 25, 250
_TEXT = "Nothing else happened on the way to the station. " * 20


class State(TypedDict, total=False):
    """How many steps are left, and what a step leaves behind."""

    left: int
    text: str


class Graph:
    """A graph that does nothing but count its steps. After each, LangGraph stores the writes and a checkpoint."""

    def __init__(self, saver: Any) -> None:
        graph: Any = StateGraph(State)
        graph.add_node("count", lambda state: {"left": state["left"] - 1, "text": _TEXT})
        graph.add_edge(START, "count")
        graph.add_conditional_edges("count", lambda state: "count" if state["left"] else END)
        self._graph = graph.compile(checkpointer=saver)
        self._saver = saver

    def run(self, thread: str, steps: int = STEPS) -> Any:
        """Run it in a thread; returns its last state."""
        config = {"configurable": {"thread_id": thread}, "recursion_limit": steps + 2}
        return self._graph.invoke({"left": steps}, config)

    def history(self, thread: str) -> list[Any]:
        """All checkpoints of a thread, with their states and writes."""
        return [*self._saver.list({"configurable": {"thread_id": thread, "checkpoint_ns": ""}})]
