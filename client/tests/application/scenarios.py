"""What an application does with its memory. Each scenario runs with both faces, on the fake server and a real one."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from suture_client import Invalid, NotFound

#: A memory about ada in a session of her own.
Scenario = Callable[[Any], None]


def remembers_and_recalls(ada: Any) -> None:
    tea = ada.remember("Ada drinks oolong", key="drink", metadata={"topic": "food"})
    ada.remember("Ada drinks nothing at work", metadata={"topic": "work"})
    assert (tea.status, tea.key, len(tea.chunk_ids)) == ("recorded", "drink", 1)
    [hit] = ada.recall("What does Ada drink? oolong", where={"topic": "food"}, limit=5)
    assert (hit.id, hit.text, hit.key, hit.metadata) == (tea.id, "Ada drinks oolong", "drink", {"topic": "food"})
    assert (hit.subject, hit.session_id, hit.kind) == ("user:ada", "call-17", "message")
    assert hit.score > 0


def a_value_is_remembered_as_it_is(ada: Any) -> None:
    made = ada.remember(value={"likes": ["tea", "rain"], "age": 36})
    found = made.refresh()
    assert found.value == {"likes": ["tea", "rain"], "age": 36}
    assert "rain" in found.text


def get_by_id_and_by_key(ada: Any) -> None:
    tea = ada.remember("Ada drinks oolong", key="drink")
    assert ada.get(tea.id) == ada.get(key="drink") == tea.refresh()
    for unknown in ({"key": "food"}, {"id": "0198c0de-0000-7000-8000-000000000001"}):
        with pytest.raises(NotFound) as refused:
            ada.get(**unknown)
        assert refused.value.code == "no-such-memory"


def a_newer_version_takes_the_place_of_an_older_one(ada: Any) -> None:
    first = ada.remember("Ada lives in Rome", key="home")
    second = ada.remember("Ada lives in Oslo", key="home")
    assert second.id != first.id
    assert [one.text for one in ada.memories(key="home")] == ["Ada lives in Oslo"]
    assert first.refresh() == second.refresh()
    assert second.refresh().created_at < second.refresh().updated_at


def lists_are_pages_newest_first(ada: Any) -> None:
    made = ada.remember_many([f"Ada walked {number} km" for number in range(230)])
    assert [one.text for one in ada.memories()] == [f"Ada walked {number} km" for number in reversed(range(230))]
    assert len({one.id for one in made}) == 230


def many_have_their_own_arguments(ada: Any) -> None:
    ada.remember_many(["plain", {"text": "tagged", "tags": ("a", "b"), "metadata": {"n": 1}}])
    [found] = ada.memories(tag="b")
    assert (found.text, found.tags, found.metadata) == ("tagged", ("a", "b"), {"n": 1})


def one_bad_memory_of_many_refuses_all(ada: Any) -> None:
    with pytest.raises(Invalid):
        ada.remember_many(["plain", {"metadata": {"n": 1}}])
    assert list(ada.memories()) == []


def a_correction_is_read_at_once(ada: Any) -> None:
    tea = ada.remember("Ada drinks oolong", value={"drink": "oolong"})
    change = tea.correct("Ada drinks coffee", reason="she said so")
    assert (change.status, change.is_applied, len(change.edit_ids)) == ("applied", True, 1)
    now = tea.refresh()
    assert (now.id, now.text, now.value, now.edits_applied) == (tea.id, "Ada drinks coffee", None, 1)


def a_correction_everywhere_changes_other_memory(ada: Any) -> None:
    tea = ada.remember("Ada drinks oolong")
    other = ada.about(session="call-18").remember("She told me: Ada drinks oolong, every day")
    change = tea.correct("Ada drinks coffee", reason="she said so", everywhere=True)
    assert (change.is_applied, change.count) == (True, 2)
    assert other.refresh().text == "She told me: Ada drinks coffee, every day"


def an_update_is_a_new_version(ada: Any) -> None:
    tea = ada.remember("Ada drinks oolong", metadata={"topic": "food"})
    changed = tea.update(metadata={"topic": "drink"})
    assert (changed.memory.metadata, changed.memory.text) == ({"topic": "drink"}, "Ada drinks oolong")
    assert changed.memory.id != tea.id
    assert tea.refresh() == changed.memory


def an_update_by_key(ada: Any) -> None:
    ada.remember("Ada drinks oolong", key="drink")
    assert ada.update(key="drink", text="Ada drinks sencha", reason="a new one").memory.text == "Ada drinks sencha"


def what_is_forgotten_is_not_found(ada: Any) -> None:
    tea, home = ada.remember("Ada drinks oolong"), ada.remember("Ada lives in Rome", key="home")
    assert tea.forget(reason="asked to").is_applied
    assert ada.forget(key="home", reason="asked to").is_applied
    assert list(ada.memories()) == []
    for one in (tea, home):
        with pytest.raises(NotFound):
            one.refresh()


def a_scope_hides_the_memory_of_others(ada: Any) -> None:
    bob = ada.about("user:bob")
    bob.remember("Bob drinks oolong")
    ada.remember("Ada drinks oolong")
    assert [hit.text for hit in ada.recall("oolong")] == ["Ada drinks oolong"]
    assert [one.text for one in bob.memories()] == ["Bob drinks oolong"]
    assert {"user:ada", "user:bob"} <= {str(one) for one in ada.subjects(subject_type="user")}


def projects_are_listed_by_name(ada: Any) -> None:
    for name in ("tea", "coffee", "teapots"):
        ada.about(project=name).remember(f"About {name}")
    assert [str(one) for one in ada.projects()] == ["coffee", "tea", "teapots"]
    assert [one.project_id for one in ada.projects(prefix="tea")] == ["tea", "teapots"]


def conditions_compare_numbers_and_nested_members(ada: Any) -> None:
    for age in (2, 3, 10):
        ada.remember(f"A child of {age}", metadata={"child": {"age": age}})
    found = ada.memories(where={"child.age": {"gte": 3, "lt": 10}})
    assert [one.text for one in found] == ["A child of 3"]
    with pytest.raises(Invalid) as refused:
        list(ada.memories(where={"age": {"near": 3}}))
    assert refused.value.pointers == ("#/where/age/near",)
    assert refused.value.request_id


def times_restrict_lists_and_searches(ada: Any) -> None:
    for day in (1, 2, 3):
        ada.remember(f"Ada walked {day} km", key="walk" if day < 3 else None, ts=datetime(2026, 1, day, tzinfo=UTC))
    asked = {"since": datetime(2026, 1, 2, tzinfo=UTC), "until": "2026-01-03"}
    assert [one.text for one in ada.memories(**asked)] == ["Ada walked 2 km"]
    assert [hit.text for hit in ada.recall("walked", **asked)] == ["Ada walked 2 km"]
    assert [hit.text for hit in ada.recall("walked", until="2026-01-02")] == []


def the_same_id_is_recorded_once(ada: Any) -> None:
    first = ada.remember("Ada drinks oolong", id="0198c0de-0000-7000-8000-0000000000aa")
    second = ada.remember("Ada drinks oolong", id="0198c0de-0000-7000-8000-0000000000aa")
    assert (first.id, first.status, second.status) == (second.id, "recorded", "already_recorded")


def many_with_ids_can_be_sent_again(ada: Any) -> None:
    many = [
        {"text": f"Ada walked {number} km", "id": f"0198c0de-0000-7000-8000-0000000000b{number}"} for number in (1, 2)
    ]
    ada.remember_many(many[:1])
    assert [one.status for one in ada.remember_many(many)] == ["already_recorded", "recorded"]
    assert [one.text for one in ada.memories()] == ["Ada walked 2 km", "Ada walked 1 km"]


def a_memory_expires(ada: Any) -> None:
    assert ada.remember("Ada is at lunch", ttl=3600).refresh().expires_at is not None


def context_is_a_text_with_ids(ada: Any) -> None:
    tea = ada.remember("Ada drinks oolong")
    prompt = ada.context("What does Ada drink? oolong", tokens=800)
    assert "Ada drinks oolong" in prompt
    assert tea.chunk_ids[0] in prompt.ids
    assert 0 < prompt.tokens <= 800


def a_model_uses_memory_with_tools(ada: Any) -> None:
    assert [tool["name"] for tool in ada.tools("anthropic")] == ["remember", "recall", "correct", "forget"]
    [tool] = ada.tools("openai-chat", only=["remember"])
    assert tool["function"]["parameters"]["required"] == ["content"]
    ada.about("user:bob").call({"name": "remember", "input": {"content": "Bob drinks oolong"}})

    def call(name: str, **arguments: Any) -> Any:
        return json.loads(ada.call({"name": name, "arguments": json.dumps(arguments)}))

    assert call("remember", content="Ada drinks oolong", subjectId="bob")["redacted"] == []
    [found] = call("recall", query="oolong")["chunks"]
    assert (found["text"], found["subject_id"]) == ("Ada drinks oolong", "ada")
    assert call("correct", value="oolong", to="coffee", reason="She said so")["count"] == 1
    assert [one["text"] for one in call("recall", query="Ada drinks")["chunks"]] == ["Ada drinks coffee"]
    assert call("forget", value="coffee", reason="Asked to")["count"] == 1
    assert "coffee" not in str(call("recall", query="Ada drinks"))
    [fault] = call("recall")["errors"]
    assert fault["pointer"] == "#/query"
    assert call("recal")["status"] == 404


def an_export_is_what_the_server_says(ada: Any) -> None:
    tea = ada.remember("Ada drinks oolong", key="drink", metadata={"topic": "food"})
    [one] = ada.export()
    assert (one["id"], one["text"], one["key"], one["metadata"]) == (
        tea.id,
        "Ada drinks oolong",
        "drink",
        {"topic": "food"},
    )


def who_the_key_belongs_to(ada: Any) -> None:
    me = ada.whoami()
    assert me.kind == "agent"
    assert me.default_channel in me.channels


SCENARIOS: list[Scenario] = [
    remembers_and_recalls,
    a_value_is_remembered_as_it_is,
    get_by_id_and_by_key,
    a_newer_version_takes_the_place_of_an_older_one,
    lists_are_pages_newest_first,
    many_have_their_own_arguments,
    one_bad_memory_of_many_refuses_all,
    a_correction_is_read_at_once,
    a_correction_everywhere_changes_other_memory,
    an_update_is_a_new_version,
    an_update_by_key,
    what_is_forgotten_is_not_found,
    a_scope_hides_the_memory_of_others,
    projects_are_listed_by_name,
    conditions_compare_numbers_and_nested_members,
    times_restrict_lists_and_searches,
    the_same_id_is_recorded_once,
    many_with_ids_can_be_sent_again,
    a_memory_expires,
    context_is_a_text_with_ids,
    a_model_uses_memory_with_tools,
    an_export_is_what_the_server_says,
    who_the_key_belongs_to,
]
