"""What a store in Suture does beyond LangGraph's: people correct it, secrets are masked, and it says so."""

import asyncio
import logging
from typing import Any

import pytest
from langgraph.graph import END, START, StateGraph
from langgraph.store.base import BaseStore
from typing_extensions import TypedDict

from suture_client import Invalid, Memory
from suture_client.storing.langgraph import SutureStore

pytestmark = [pytest.mark.slow, pytest.mark.stack]

TEA = {"text": "Ada drinks oolong", "cups": 3}


def value_of(store: SutureStore, root: str, key: str = "k") -> Any:
    found = store.get((root,), key)
    return found and found.value


def correct(serving: Any, root: str, text: str) -> None:
    """Correct the item as its reviewer."""
    with Memory(serving.url, serving.bob) as bob:
        change = bob.about(f"store:{root}/").get(key="k").correct(text, reason="She said so")
    for edit_id in () if change.is_applied else change.edit_ids:
        serving.ask("POST", f"edits/{edit_id}/approve", {"reason": "right"}, serving.bob)


def test_a_correction_of_the_text_corrects_the_value(suture: SutureStore, serving: Any, root: str) -> None:
    suture.put((root,), "k", TEA)
    correct(serving, root, '{"text": "Ada drinks coffee", "cups": 3}')
    assert value_of(suture, root) == {"text": "Ada drinks coffee", "cups": 3}
    assert [item.value["text"] for item in suture.search((root,))] == ["Ada drinks coffee"]
    assert suture.search((root,), filter={"text": "Ada drinks oolong"}) == []


def test_a_correction_that_is_not_json_is_the_text(suture: SutureStore, serving: Any, root: str) -> None:
    suture.put((root,), "k", TEA)
    correct(serving, root, "Ada drinks coffee")
    assert value_of(suture, root) == {"text": "Ada drinks coffee"}
    assert suture.search((root,), filter={"cups": 3}) == []


def test_a_new_value_takes_the_place_of_a_corrected_one(suture: SutureStore, serving: Any, root: str) -> None:
    suture.put((root,), "k", TEA)
    correct(serving, root, "Ada drinks coffee")
    suture.put((root,), "k", {"text": "Ada drinks water"})
    assert value_of(suture, root) == {"text": "Ada drinks water"}


def test_a_query_finds_items_by_their_words_with_scores(suture: SutureStore, root: str) -> None:
    suture.put((root, "a"), "tea", TEA)
    suture.put((root, "a"), "bread", {"text": "Ada bakes bread", "cups": 0})
    suture.put((root, "b"), "tea", {"text": "Bo drinks oolong"})
    found = suture.search((root, "a"), query="oolong")
    assert found[0].key == "tea"
    assert found[0].score is not None
    assert suture.search((root, "a"), query="oolong", filter={"cups": {"$lt": 1}}, limit=1)[:1] != found[:1]
    assert suture.search((root, "nowhere"), query="oolong") == []


def test_a_query_finds_items_that_say_the_same(suture: SutureStore, root: str) -> None:
    for number in range(5):
        suture.put((root,), f"k{number}", {"text": "Ada always drinks oolong tea in the morning"})
    assert len(suture.search((root,), query="oolong")) == 5


def test_what_is_not_indexed_is_not_found_by_words(suture: SutureStore, root: str) -> None:
    suture.put((root,), "hidden", TEA, index=False)
    suture.put((root,), "partly", {"text": "Bo drinks milk", "note": "oolong"}, index=["text"])
    assert suture.search((root,), query='"oolong"') == []
    assert [item.key for item in suture.search((root,), query='"milk"')] == ["partly"]
    assert value_of(suture, root, "hidden") == TEA


def test_a_time_to_live_is_in_minutes_and_prolonged_when_asked(suture: SutureStore, serving: Any, root: str) -> None:
    suture.put((root,), "k", TEA, ttl=2)
    with Memory(serving.url, serving.agent) as memory:
        about = memory.about(f"store:{root}/")

        def left() -> Any:
            found = about.get(key="k")
            assert found.expires_at is not None
            assert (found.expires_at - found.updated_at).total_seconds() == pytest.approx(120)
            return found.expires_at

        first = left()
        suture.get((root,), "k")
        assert left() == first
        suture.get((root,), "k", refresh_ttl=True)
        assert left() > first
    with pytest.raises(Invalid) as refused:
        suture.put((root,), "k", TEA, ttl=-1)
    assert refused.value.pointers == ("#/memories/0/ttl",)


def test_a_key_that_is_too_long_is_refused_with_its_place(suture: SutureStore, root: str) -> None:
    with pytest.raises(Invalid) as refused:
        suture.put((root,), "k" * 201, TEA)
    assert refused.value.pointers == ("#/memories/0/key",)


def test_a_masked_secret_is_a_warning(suture: SutureStore, root: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        suture.put((root,), "k", {"password": "hunter2-Zanzibar-99"})
    assert "were masked" in caplog.text
    assert "Zanzibar" not in caplog.text + str(value_of(suture, root))


def test_what_a_person_retracted_is_hidden_when_it_is_put_again(
    suture: SutureStore, serving: Any, root: str, caplog: pytest.LogCaptureFixture
) -> None:
    suture.put((root,), "k", TEA)
    with Memory(serving.url, serving.bob) as bob:
        chunk = bob.about(f"store:{root}/").get(key="k").chunk_ids[0]
    asked = {"target_type": "chunk", "target_id": chunk, "op": "retract", "reason": "wrong"}
    edit = serving.ask("POST", "edits", asked, serving.bob)
    if edit["status"] == "pending":
        serving.ask("POST", f"edits/{edit['edit_id']}/approve", {"reason": "right"}, serving.bob)
    assert value_of(suture, root) is None
    with caplog.at_level(logging.WARNING):
        suture.put((root,), "k", TEA)
    assert "hidden until a person decides" in caplog.text
    assert value_of(suture, root) is None


def test_each_recorder_has_its_version_of_a_key_and_the_newest_counts(
    suture: SutureStore, serving: Any, root: str, caplog: pytest.LogCaptureFixture
) -> None:
    suture.put((root,), "k", {"by": "agent"})
    with SutureStore(url=serving.url, key=serving.bob) as bobs:
        bobs.put((root,), "k", {"by": "bob"})
        assert value_of(suture, root) == value_of(bobs, root) == {"by": "bob"}
        assert [item.value for item in suture.search((root,))] == [{"by": "bob"}]
        with caplog.at_level(logging.WARNING):
            suture.delete((root,), "k")
        assert "A person decides whether 'k' is deleted" in caplog.text
        assert value_of(bobs, root) == {"by": "bob"}


def test_a_cancelled_task_leaves_the_store_usable(suture: SutureStore, root: str) -> None:
    async def use() -> None:
        async with suture:
            tasks = [asyncio.create_task(suture.aput((root,), f"k{number}", TEA)) for number in range(5)]
            await asyncio.sleep(0)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await suture.aput((root,), "k", TEA)
            assert (await suture.aget((root,), "k")) is not None

    asyncio.run(use())


def test_a_graph_remembers_in_another_thread(suture: SutureStore, root: str) -> None:
    class State(TypedDict, total=False):
        said: str

    def remember(state: State, *, store: BaseStore) -> State:
        store.put((root, "memories"), "drink", {"text": state["said"]})
        return {}

    def recall(state: State, *, store: BaseStore) -> State:
        return {"said": store.search((root,), query="drinks")[0].value["text"]}

    graph: Any = StateGraph(State)
    graph.add_node("remember", remember)
    graph.add_node("recall", recall)
    graph.add_edge(START, "remember")
    graph.add_edge("remember", "recall")
    graph.add_edge("recall", END)
    assert graph.compile(store=suture).invoke({"said": "Ada drinks oolong"}) == {"said": "Ada drinks oolong"}
