"""What LangGraph's own store does, Suture's does too."""

import asyncio
from typing import Any

import pytest
from langgraph.store.base import (
    BaseStore,
    GetOp,
    InvalidNamespaceError,
    ListNamespacesOp,
    MatchCondition,
    PutOp,
    SearchOp,
)

pytestmark = [pytest.mark.slow, pytest.mark.stack]

VALUES: list[dict[str, Any]] = [
    {},
    {"text": "Ada drinks oolong"},
    {"none": None, "yes": True, "empty": "", "list": [], "number": 2.5, "big": 10**15},
    {"deep": [[{"a": {"b": [1, None, "x"]}}]]},
    {"\u00e9\u4e2d": "\u0645\u0631\u062d\u0628\u0627 \U0001f375", "line": "a\nb\tc"},
]
LABELS = ["a/b", "a%2Fb", "%", "a b", "\u4e2d", "line\n", "user_1", "*x"]
DATA = [
    (("docs", "ada"), "1", {"topic": "food", "n": 1, "tags": ["a"], "by": {"name": "ada"}}),
    (("docs", "ada"), "2", {"topic": "food", "n": 2, "tags": ["a", "b"], "by": {"name": "bob"}}),
    (("docs", "bob"), "3", {"topic": "work", "n": 3, "ok": True}),
    (("docs",), "4", {"topic": "x" * 150, "n": 4, "none": None, "a.b": 1}),
    (("docsx",), "5", {"topic": "food", "n": 5}),
]
FILTERS: list[dict[str, Any]] = [
    {"topic": "food"},
    {"topic": "x" * 150},
    {"n": {"$gt": 1, "$lte": 3}},
    {"n": {"$gte": 2}, "topic": {"$eq": "food"}},
    {"n": {"$lt": 2}},
    {"topic": {"$ne": "food"}},
    {"ok": True},
    {"ok": None},
    {"tags": ["a", "b"]},
    {"by": {"name": "ada"}},
    {"a.b": 1},
    {"unknown": "x"},
]
CONDITIONS: list[dict[str, Any]] = [
    {},
    {"suffix": ("f",)},
    {"suffix": ("*", "f")},
    {"max_depth": 3},
    {"max_depth": 1},
    {"limit": 2},
    {"limit": 2, "offset": 3},
    {"offset": 99},
]


def names(items: Any) -> set[tuple[str, str]]:
    return {("/".join(item.namespace[1:]), item.key) for item in items}


def test_values_come_back_as_they_were(store: BaseStore, root: str) -> None:
    store.batch([PutOp((root,), f"k{number}", value) for number, value in enumerate(VALUES)])
    assert [store.get((root,), f"k{number}").value for number in range(len(VALUES))] == VALUES  # type: ignore[union-attr]
    assert store.get((root,), "other") is None


def test_labels_and_keys_have_any_characters(store: BaseStore, root: str) -> None:
    for label in LABELS:
        store.put((root, label), label, {"is": label})
    assert set(store.list_namespaces(prefix=(root,))) == {(root, label) for label in LABELS}
    for label in LABELS:
        found = store.get((root, label), label)
        assert found is not None
        assert (found.namespace, found.key, found.value) == ((root, label), label, {"is": label})
        assert [item.key for item in store.search((root, label))] == [label]


def test_a_put_replaces_and_a_delete_removes(store: BaseStore, root: str) -> None:
    store.put((root,), "k", {"n": 1})
    first = store.get((root,), "k")
    store.put((root,), "k", {"n": 2})
    second = store.get((root,), "k")
    assert first is not None
    assert second is not None
    assert (second.value, second.updated_at > first.updated_at) == ({"n": 2}, True)
    assert len(store.search((root,))) == 1
    store.delete((root,), "k")
    store.delete((root,), "k")
    assert (store.get((root,), "k"), store.search((root,))) == (None, [])
    store.put((root,), "k", {"n": 2})
    assert store.get((root,), "k").value == {"n": 2}  # type: ignore[union-attr] # it is there


def test_filters_find_the_same_items(store: BaseStore, root: str, subtests: Any) -> None:
    store.batch([PutOp((root, *namespace), key, value) for namespace, key, value in DATA])
    for filter in FILTERS:
        with subtests.test(filter=str(filter)[:60]):
            expected = {
                ("/".join(namespace), key)
                for namespace, key, value in DATA
                if namespace[0] == "docs" and _by_hand(value, filter)
            }
            assert names(store.search((root, "docs"), filter=filter, limit=50)) == expected
    with pytest.raises(ValueError, match="Unsupported operator"):
        store.search((root,), filter={"n": {"$like": 1}})


def _by_hand(value: dict[str, Any], filter: dict[str, Any]) -> bool:
    operators = {
        "$eq": lambda a, b: a == b,
        "$ne": lambda a, b: a != b,
        "$gt": lambda a, b: a > b,
        "$gte": lambda a, b: a >= b,
        "$lt": lambda a, b: a < b,
        "$lte": lambda a, b: a <= b,
    }
    return all(
        all(operators[which](value.get(name), one) for which, one in wanted.items())
        if isinstance(wanted, dict) and next(iter(wanted)).startswith("$")
        else value.get(name) == wanted
        for name, wanted in filter.items()
    )


def test_pages_of_a_search_are_the_whole_list(store: BaseStore, root: str) -> None:
    store.batch([PutOp((root, str(number % 2)), f"k{number}", {"even": number % 4 == 0}) for number in range(12)])
    whole = [(item.namespace, item.key) for item in store.search((root,), limit=100)]
    assert len(whole) == 12
    paged = [
        (item.namespace, item.key)
        for offset in (0, 5, 10, 15)
        for item in store.search((root,), limit=5, offset=offset)
    ]
    assert paged == whole
    assert len(store.search((root,), filter={"even": True}, limit=2, offset=2)) == 1
    assert store.search((root,), limit=0) == []


def test_namespaces_are_listed_by_conditions(store: BaseStore, root: str, subtests: Any) -> None:
    namespaces = [("a", "b", "c"), ("a", "b", "d", "e"), ("a!", "b"), ("a", "b", "f"), ("a", "c", "f"), ("b", "a", "f")]
    store.batch([PutOp((root, *namespace), "k", {}) for namespace in namespaces])
    for asked in CONDITIONS:
        with subtests.test(**asked):
            expected = [
                one
                for one in sorted((root, *namespace) for namespace in namespaces)
                if "suffix" not in asked or one[-1] == "f"
            ]
            if "max_depth" in asked:
                expected = sorted({one[: asked["max_depth"]] for one in expected})
            offset = asked.get("offset", 0)
            wanted = expected[offset : offset + asked.get("limit", 100)]
            assert store.list_namespaces(prefix=(root,), **asked) == wanted
    assert store.list_namespaces(prefix=(root, "a", "*", "f")) == [(root, "a", "b", "f"), (root, "a", "c", "f")]
    assert store.list_namespaces(prefix=(root, "nowhere")) == []


def test_a_batch_reads_what_was_before_it_and_the_last_put_wins(store: BaseStore, root: str) -> None:
    store.put((root, "a"), "k", {"n": 0})
    results = store.batch(
        [
            PutOp((root, "a"), "k", {"n": 1}),
            GetOp((root, "a"), "k"),
            SearchOp((root,), limit=5),
            PutOp((root, "a"), "k", {"n": 2}),
            ListNamespacesOp((MatchCondition("prefix", (root,)),)),
            GetOp((root,), "missing"),
            PutOp((root, "b"), "gone", {"n": 1}),
            PutOp((root, "b"), "gone", None),
        ]
    )
    assert (results[0], results[3], results[5], results[6], results[7]) == (None,) * 5
    assert results[1].value == {"n": 0}  # type: ignore[union-attr] # an item
    assert [item.value for item in results[2]] == [{"n": 0}]  # type: ignore[union-attr] # items
    assert results[4] == [(root, "a")]
    assert store.get((root, "a"), "k").value == {"n": 2}  # type: ignore[union-attr] # it is there
    assert store.get((root, "b"), "gone") is None


@pytest.mark.parametrize("namespace", [(), ("a.b",), ("a", ""), ("a", 1), ("langgraph", "a"), ("a\x00",)])
def test_bad_namespaces_are_refused(store: BaseStore, namespace: Any) -> None:
    with pytest.raises(InvalidNamespaceError):
        store.put(namespace, "k", {})
    with pytest.raises(InvalidNamespaceError):
        asyncio.run(store.aput(namespace, "k", {}))


def test_asynchronous_methods_do_the_same(store: BaseStore, root: str) -> None:
    async def use() -> None:
        await asyncio.gather(*(store.aput((root, "a"), f"k{number}", {"n": number}) for number in range(10)))
        await store.abatch([PutOp((root, "b"), "k", {"n": 10})])
        found = await store.aget((root, "a"), "k3")
        assert found is not None
        assert found.value == {"n": 3}
        assert len(await store.asearch((root,), limit=50)) == 11
        assert len(await store.asearch((root,), filter={"n": {"$gte": 8}})) == 3
        assert await store.alist_namespaces(prefix=(root,)) == [(root, "a"), (root, "b")]
        await store.adelete((root, "b"), "k")
        assert await store.aget((root, "b"), "k") is None

    asyncio.run(use())
    asyncio.run(use())  # in another loop
