"""Stores that share one running server, each test with a namespace of its own."""

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from langgraph.store.base import BaseStore
from langgraph.store.memory import InMemoryStore

from suture_client.storing.langgraph import SutureStore


@pytest.fixture
def suture(serving: Any) -> Iterator[SutureStore]:
    """A store of the first agent."""
    with SutureStore(url=serving.url, key=serving.agent) as store:
        yield store


@pytest.fixture(params=["InMemoryStore", "SutureStore"])
def store(request: pytest.FixtureRequest) -> BaseStore:
    """LangGraph's own store, and ours."""
    if request.param == "InMemoryStore":
        return InMemoryStore()
    found: SutureStore = request.getfixturevalue("suture")
    return found


@pytest.fixture
def root() -> str:
    """The first label of the test's namespaces."""
    return f"test-{uuid4().hex}"
