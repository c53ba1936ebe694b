"""LangGraph's state in Suture: LangGraph's own tests of checkpointers, and whole graphs."""

import asyncio
import hashlib
import operator
import threading
from collections.abc import AsyncGenerator, Callable
from typing import Annotated, Any, TypedDict
from uuid import uuid4

import httpx
import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.base.id import uuid6
from langgraph.checkpoint.conformance import checkpointer_test, validate
from langgraph.checkpoint.conformance.capabilities import ALL_CAPABILITIES
from langgraph.checkpoint.conformance.test_utils import generate_checkpoint, generate_config, generate_metadata
from langgraph.checkpoint.serde.types import _DeltaSnapshot
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.types import Command, interrupt

from governance.models import Entry
from suture_client.checkpointing import Problem
from suture_client.checkpointing.langgraph import SutureSaver
from tests.world import Api, World

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]


class Trip(TypedDict, total=False):
    messages: Annotated[list[AnyMessage], add_messages]
    legs: Annotated[list[str], operator.add]
    agreed: str


def travel_agent(saver: SutureSaver, fails: list[str] | None = None) -> Any:
    """A graph that books two legs at once, asks a person, and reports the result."""

    def book(leg: str) -> Callable[[Trip], Trip]:
        def booked(state: Trip) -> Trip:
            if fails and fails.pop():
                raise ConnectionError(leg)
            return {"legs": [leg]}

        return booked

    def ask(state: Trip) -> Trip:
        return {"agreed": interrupt({"legs": state["legs"]})}

    def say(state: Trip) -> Trip:
        return {"messages": [AIMessage(f"{', '.join(state['legs'])}: {state['agreed']}")]}

    graph: Any = StateGraph(Trip)
    graph.add_node("there", book("there"))
    graph.add_node("back", book("back"))
    graph.add_node("ask", ask)
    graph.add_node("say", say)
    for leg in ("there", "back"):
        graph.add_edge(START, leg)
    graph.add_edge(["there", "back"], "ask")
    graph.add_edge("ask", "say")
    graph.add_edge("say", END)
    return graph.compile(checkpointer=saver)


def begin(content: str = "To Bern") -> Trip:
    return {"messages": [HumanMessage(content)]}


@pytest.mark.parametrize("capability", sorted(one.value for one in ALL_CAPABILITIES))
def test_it_passes_langgraphs_own_tests(server: World, capability: str) -> None:
    @checkpointer_test(name="SutureSaver")
    async def suture() -> AsyncGenerator[BaseCheckpointSaver[Any], None]:
        with SutureSaver() as saver:
            yield saver

    result = asyncio.run(validate(suture, capabilities={capability})).results[capability]
    assert result.detected
    assert result.failures == []
    assert result.tests_passed >= 5


def test_a_graph_goes_on_in_another_process_where_it_was_interrupted(server: World) -> None:
    config = generate_config("trip 1")
    with SutureSaver() as saver:
        asked = travel_agent(saver).invoke(begin(), config)
        assert asked["__interrupt__"][0].value == {"legs": ["back", "there"]}
    with SutureSaver() as saver:
        agent = travel_agent(saver)
        assert agent.get_state(config).next == ("ask",)
        done = agent.invoke(Command(resume="yes"), config)
        assert done["messages"][-1].content == "back, there: yes"
        assert [type(message) for message in done["messages"]] == [HumanMessage, AIMessage]
        assert agent.get_state(config).next == ()


def test_a_graph_that_failed_does_again_only_what_failed(server: World) -> None:
    config = generate_config("trip 2")
    fails = ["", "the second"]
    with SutureSaver() as saver:
        agent = travel_agent(saver, fails)
        with pytest.raises(ConnectionError):
            agent.invoke(begin(), config)
        agent.invoke(None, config)
        assert sorted(agent.get_state(config).values["legs"]) == ["back", "there"]


def test_the_history_is_kept_whole_and_a_graph_can_go_back_in_it(server: World) -> None:
    config = generate_config("trip 3")
    with SutureSaver() as saver:
        agent = travel_agent(saver)
        agent.invoke(begin(), config)
        agent.invoke(Command(resume="yes"), config)
        for _ in range(3):
            agent.update_state(config, {"agreed": "perhaps"})
        history = [*agent.get_state_history(config)]
        assert [one.metadata["step"] for one in history] == [6, 5, 4, 3, 2, 1, 0, -1]
        before = next(one for one in history if one.next == ("say",))
        assert agent.invoke(None, before.config)["messages"][-1].content == "back, there: yes"
        fork = agent.update_state(before.config, {"agreed": "no"})
        assert agent.invoke(None, fork)["messages"][-1].content == "back, there: no"
    listed = server.alice.ok("get", "sessions/langgraph%3Atrip%203/checkpoints?limit=200")["results"]
    assert all(one["is_pinned"] for one in listed)


def test_graphs_run_asynchronously(server: World) -> None:
    config = generate_config("trip 4")

    async def travel(agent: Any) -> Any:
        await agent.ainvoke(begin(), config)
        done = await agent.ainvoke(Command(resume="yes"), config)
        return done, [one async for one in agent.aget_state_history(config)]

    with SutureSaver() as saver:
        done, history = asyncio.run(travel(travel_agent(saver)))
    assert done["messages"][-1].content == "back, there: yes"
    assert len(history) == 5


def test_a_graph_that_runs_in_asyncio_asks_from_no_other_thread(server: World, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: set[int] = set()
    send = httpx.AsyncClient.request

    async def noted(client: httpx.AsyncClient, *args: Any, **kwargs: Any) -> httpx.Response:
        asked.add(threading.get_ident())
        return await send(client, *args, **kwargs)

    def refused(*_: Any, **__: Any) -> Any:
        raise AssertionError("a blocking request")

    async def travel() -> None:
        async with SutureSaver() as saver:
            agent = travel_agent(saver)
            config = generate_config("trip 6")
            await agent.ainvoke(begin(), config)
            await agent.ainvoke(Command(resume="yes"), config)
            assert len([one async for one in agent.aget_state_history(config)]) == 5
            await saver.acopy_thread("trip 6", "trip 7")
            await saver.aprune(["trip 7"])
            await saver.adelete_for_runs(["none"])
            await saver.adelete_thread("trip 6")

    monkeypatch.setattr(httpx.AsyncClient, "request", noted)
    monkeypatch.setattr(httpx.Client, "request", refused)
    monkeypatch.setattr(asyncio, "to_thread", refused)
    asyncio.run(travel())
    assert asked == {threading.get_ident()}


def test_one_saver_serves_threads_and_one_loop_after_the_other(server: World) -> None:
    config = generate_config("trip 8")
    with SutureSaver() as saver:
        agent = travel_agent(saver)
        asyncio.run(agent.ainvoke(begin(), config))
        agent.invoke(Command(resume="yes"), config)

        async def read() -> int:
            return len([one async for one in saver.alist(config)])

        assert [asyncio.run(read()) for _ in range(2)] == [5, 5]


def test_after_a_cancellation_the_connections_are_usable(server: World) -> None:
    async def use() -> None:
        async with SutureSaver() as saver:
            config = await saver.aput(generate_config("t"), generate_checkpoint(), generate_metadata(step=0), {})
            for number in range(8):
                acts: list[Any] = [
                    saver.aput_writes(config, [("a", number)], f"task {number}"),
                    saver.aput_writes(config, [("b", number)], f"other task {number}"),
                    saver.aget_tuple(config),
                ]
                tasks = [asyncio.ensure_future(one) for one in acts]
                for _ in range(number * 3):  # a little later each time
                    await asyncio.sleep(0)
                tasks[0].cancel()
                tasks[2].cancel()
                answers = await asyncio.gather(*tasks, return_exceptions=True)
                assert answers[1] is None
            found = await saver.aget_tuple(config)
            assert found is not None
            assert found.pending_writes is not None
            assert [value for _, channel, value in found.pending_writes if channel == "b"] == [*range(8)]

    asyncio.run(use())


def test_what_is_stored_at_the_same_time_is_stored_by_few_requests(server: World, requests: list[str]) -> None:
    async def store() -> None:
        async with SutureSaver() as saver:
            config = await saver.aput(generate_config("t"), generate_checkpoint(), generate_metadata(), {})
            requests.clear()
            await asyncio.gather(*(saver.aput_writes(config, [("a", n)], f"task {n:02}") for n in range(50)))
            assert requests == ["POST batch"]
            found = await saver.aget_tuple(config)
            assert [write[2] for write in found.pending_writes] == [*range(50)]  # type: ignore[union-attr] # it is there

    asyncio.run(store())


def test_a_history_is_read_by_few_requests(server: World, requests: list[str]) -> None:
    with SutureSaver() as saver:
        stored = []
        for step in range(60):
            stored.append(put(saver, "t", metadata={"step": step}))
            saver.put_writes(stored[-1], [("a", step)], "task")
        requests.clear()
        listed = [*saver.list(generate_config("t"))]
        assert [(one.config, one.pending_writes) for one in listed] == [
            (config, [("task", "a", step)]) for step, config in reversed([*enumerate(stored)])
        ]
        assert requests == ["GET checkpoints"]
        requests.clear()
        (one,) = saver.list(generate_config("t"), before=stored[30], limit=1)
        assert one.config == stored[29]
        assert saver.get_tuple(generate_config("t")) == listed[0]
        assert saver.get_tuple(stored[3]) == listed[-4]
        assert requests == ["GET checkpoints"] * 3


def test_a_thread_is_pruned_in_one_act(server: World, requests: list[str]) -> None:
    with SutureSaver() as saver:
        for run in "ab":
            for step in range(3):
                saver.put_writes(put(saver, "t", metadata={"step": step, "run_id": run}), [("a", step)], "task")
        requests.clear()
        saver.delete_for_runs(["a"])
        assert requests.count("POST delete") == 1
        assert [one.metadata["run_id"] for one in saver.list(generate_config("t"))] == ["b"] * 3
        saver.prune(["t"])
        assert requests.count("POST delete") == 2
        assert [one.metadata["step"] for one in saver.list(generate_config("t"))] == [2]
    with server.inside():
        entries = Entry.objects.filter(tenant_id=server.tenant_id, type="checkpoint.deleted").order_by("seq")
        assert [len(one.metadata["checkpoints"]) for one in entries] == [6, 4]


def test_a_state_full_of_hashes_is_stored(server: World) -> None:
    sums = "\n".join(f"{hashlib.sha256(str(number).encode()).hexdigest()}  file{number}" for number in range(60_000))
    with SutureSaver() as saver:
        put(saver, "t", sums=sums)
        assert saver.get_tuple(generate_config("t")).checkpoint["channel_values"] == {"sums": sums}  # type: ignore[union-attr] # it is there
    (one,) = server.alice.ok("get", "sessions/langgraph%3At/checkpoints?include_state=true")["results"]
    assert len(one["state"]["working_memory"]["named"]) == 1  # the id of LangGraph's checkpoint


def test_a_graph_within_a_graph_is_kept_at_its_own_depth(server: World) -> None:
    config = generate_config("trip 5")

    def ask(state: Trip) -> Trip:
        return {"agreed": interrupt("Agreed?")}

    inner: Any = StateGraph(Trip)
    inner.add_node("ask", ask)
    inner.add_edge(START, "ask")
    outer: Any = StateGraph(Trip)
    outer.add_node("inner", inner.compile())
    outer.add_edge(START, "inner")
    with SutureSaver() as saver:
        agent = outer.compile(checkpointer=saver)
        agent.invoke(begin(), config)
        assert agent.invoke(Command(resume="yes"), config)["agreed"] == "yes"
        kept = server.alice.ok("get", "sessions/langgraph%3Atrip%205/checkpoints")["results"]
        assert {one["depth"] for one in kept} == {0, 1}
        saver.delete_thread("trip 5")
        assert saver.get_tuple(config) is None


@pytest.fixture
def requests(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The method and the last part of the address of each request of a saver."""
    made: list[str] = []
    for client in (httpx.Client, httpx.AsyncClient):

        def noted(self: Any, method: str, url: str, *, _send: Any = client.request, **request: Any) -> Any:
            made.append(f"{method} {url.rsplit('/', 1)[-1]}")
            return _send(self, method, url, **request)

        monkeypatch.setattr(client, "request", noted)
    return made


def put(saver: SutureSaver, thread: str, **values: Any) -> Any:
    """Store a checkpoint with these values."""
    metadata = generate_metadata(**values.pop("metadata", {}))
    return saver.put(
        generate_config(thread), generate_checkpoint(channel_values=values), metadata, dict.fromkeys(values, 1)
    )


def test_values_are_written_as_langgraph_writes_them_and_never_pickled(server: World) -> None:
    with SutureSaver() as saver:
        put(saver, "t", message=HumanMessage("Hello"), bytes=b"\x00\xff", when=uuid4())
        with pytest.raises(TypeError):
            put(saver, "t", local=lambda: None)
    (one,) = server.alice.ok("get", "sessions/langgraph%3At/checkpoints")["results"]
    kept = server.alice.ok("get", f"checkpoints/{one['id']}?include_state=true")["state"]["working_memory"]
    assert (kept["checkpoint"][0], kept["metadata"][0]) == ("msgpack", "msgpack")


def test_memories_that_a_graph_holds_are_found_when_they_change(server: World) -> None:
    chunk = server.chunk("The train leaves at nine.")
    with SutureSaver() as saver:
        put(saver, "t", messages=[HumanMessage(f"The train leaves at nine [{chunk}].")])
    (one,) = server.alice.ok("get", "sessions/langgraph%3At/checkpoints")["results"]
    server.edit(chunk, "retract")
    restored = server.alice.ok("post", f"checkpoints/{one['id']}/restore", {})
    assert [(found["chunk_id"], found["change"]) for found in restored["corrections"]] == [(chunk, "retracted")]


def test_all_threads_are_listed_with_filters_before_and_limit(server: World) -> None:
    with SutureSaver() as saver:
        stored = [put(saver, f"t/{number}", metadata={"step": number, "score": 7}) for number in range(3)]
        again = put(saver, "t/2", metadata={"step": 9})

        def ids(**asked: Any) -> list[Any]:
            return [one.config for one in saver.list(asked.pop("config", None), **asked)]

        assert sorted(map(str, ids())) == sorted(map(str, [*stored, again]))
        assert ids(filter={"score": 7, "step": 1}) == [stored[1]]
        assert ids(config=generate_config("t/2"), before=again) == [stored[2]]
        assert ids(config=generate_config("t/2"), limit=1) == [again]
        assert ids(config=generate_config("t/2"), limit=0) == []
        assert ids(config={"configurable": {"thread_id": "t/2"}}, filter={"step": 9}) == [again]


def test_more_checkpoints_than_a_page_has_are_listed(server: World) -> None:
    with SutureSaver() as saver:
        stored = [put(saver, "long", metadata={"step": step}) for step in range(120)]
        assert [one.metadata["step"] for one in saver.list(generate_config("long"))] == [*range(119, -1, -1)]
        assert saver.get_tuple(stored[3]).metadata["step"] == 3  # type: ignore[union-attr] # it is there
        assert saver.get_tuple(generate_config("long")).metadata["step"] == 119  # type: ignore[union-attr] # as above


def test_the_same_checkpoint_stored_again_is_listed_once_as_it_is_now(server: World) -> None:
    with SutureSaver() as saver:
        checkpoint = generate_checkpoint(channel_values={"a": 1})
        for value in (1, 2):
            checkpoint["channel_values"]["a"] = value
            saver.put(generate_config("t"), checkpoint, generate_metadata(), {"a": 1})
        assert [one.checkpoint["channel_values"] for one in saver.list(generate_config("t"))] == [{"a": 2}]


def test_writes_that_come_before_their_checkpoint_and_in_any_order_are_in_their_order(server: World) -> None:
    with SutureSaver() as saver:
        checkpoint = generate_checkpoint()
        config = generate_config("t", checkpoint_id=checkpoint["id"])
        saver.put_writes(config, [("a", 3), ("b", 4)], "task 1", "path 2")
        saver.put_writes(config, [("a", 1), ("__error__", "first")], "task 2", "path 1")
        saver.put_writes(config, [("a", "again"), ("__error__", "last")], "task 2", "path 1")
        saver.put(generate_config("t"), checkpoint, generate_metadata(), {})
        found = saver.get_tuple(generate_config("t"))
        assert found is not None
        assert found.pending_writes == [
            ("task 2", "__error__", "last"),
            ("task 2", "a", 1),
            ("task 1", "a", 3),
            ("task 1", "b", 4),
        ]


def test_pruning_keeps_what_delta_channels_are_built_from(server: World) -> None:
    with SutureSaver() as saver:
        parent = None
        for step in range(6):
            config = generate_config("t")
            if parent:
                config["configurable"]["checkpoint_id"] = parent["configurable"]["checkpoint_id"]
            values = {"log": _DeltaSnapshot([step])} if step == 2 else {}
            checkpoint = {**generate_checkpoint(channel_values=values), "id": str(uuid6(clock_seq=-1))}
            counters = {"counters_since_delta_snapshot": {"log": (abs(step - 2), abs(step - 2))}}
            parent = saver.put(config, checkpoint, generate_metadata(step=step, **counters), {})  # type: ignore[arg-type] # a dict
            saver.put_writes(parent, [("log", step)], f"task {step}")
        assert parent is not None
        before = saver.get_delta_channel_history(config=parent, channels=["log"])
        saver.prune(["t"])
        assert [one.metadata["step"] for one in saver.list(generate_config("t"))] == [5, 4, 3, 2]
        assert saver.get_delta_channel_history(config=parent, channels=["log"]) == before
        assert [write[2] for write in before["log"]["writes"]] == [2, 3, 4]
        with pytest.raises(ValueError, match="keep_latest or delete, not 'all'"):
            saver.prune(["t"], strategy="all")


def test_two_agents_have_threads_of_one_name_and_never_meet(server: World, given: Callable[[str], Api]) -> None:
    bob = given("agent-bob")
    with SutureSaver() as saver, SutureSaver(key=str(bob.key)) as other:
        put(saver, "support", whose="alice")
        bobs = put(other, "support", whose="bob")
        bob.ok("put", "sessions/langgraph%3Asupport/shares", {"agents": ["alice"], "may_continue": True})
        for one, whose in ((saver, "alice"), (other, "bob")):
            (found,) = one.list(None)
            assert found.checkpoint["channel_values"] == {"whose": whose}
        with (
            SutureSaver(owner="alice", key=str(bob.key)) as taking,
            pytest.raises(Problem, match="does not offer") as refused,
        ):
            taking.get_tuple(generate_config("support"))
        assert refused.value.status == 403

        with SutureSaver(owner="agent-bob") as taking:
            assert taking.get_tuple(generate_config("support")).config == bobs  # type: ignore[union-attr] # it is there
            put(taking, "support", parent=bobs, whose="alice for bob")
            with pytest.raises(Problem, match="belongs to another agent"):
                taking.delete_thread("support")
        assert [one.checkpoint["channel_values"]["whose"] for one in other.list(None)] == ["alice for bob", "bob"]
        assert [one.checkpoint["channel_values"]["whose"] for one in saver.list(None)] == ["alice"]


def test_what_a_slow_worker_writes_to_a_deleted_thread_is_refused(server: World) -> None:
    async def late() -> None:
        async with SutureSaver() as saver:
            config = put(saver, "t")
            await saver.adelete_thread("t")
            for act in (
                lambda: saver.aput_writes(config, [("channel", "late")], "task 1"),
                lambda: saver.aput(config, generate_checkpoint(), generate_metadata(), {}),
                lambda: saver.aput(generate_config("t"), generate_checkpoint(), generate_metadata(), {}),
                lambda: saver.acopy_thread("other", "t"),
            ):
                with pytest.raises(Problem, match="deleted"):
                    await act()
            assert await saver.aget_tuple(generate_config("t")) is None
            assert [one async for one in saver.alist(None) if one.config["configurable"]["thread_id"] == "t"] == []
            await saver.adelete_thread("t")

    with SutureSaver() as saver:
        put(saver, "other")
    asyncio.run(late())
