"""The scenarios on the fake server, with both faces."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from suture_client import AsyncMemory, Memory, NotFound
from suture_client.testing import FakeServer
from tests.application.faces import Runs
from tests.application.scenarios import SCENARIOS, Scenario

pytestmark = pytest.mark.pure


@pytest.fixture(params=["Memory", "AsyncMemory"])
def memory(request: pytest.FixtureRequest) -> Iterator[Any]:
    if request.param == "Memory":
        with Memory(transport=FakeServer()) as found:
            yield found
        return
    loop = asyncio.new_event_loop()
    asynchronous = AsyncMemory(transport=FakeServer())
    yield Runs(asynchronous, loop)
    loop.run_until_complete(asynchronous.close())
    loop.close()


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda one: one.__name__)
def test_scenario(scenario: Scenario, memory: Any) -> None:
    scenario(memory.about("user:ada", session="call-17"))


def test_clients_share_a_server_and_servers_share_nothing() -> None:
    server = FakeServer()
    tea = Memory(transport=server).remember("Ada drinks oolong")
    assert Memory(transport=server).get(tea.id).text == "Ada drinks oolong"
    with pytest.raises(NotFound):
        Memory(transport=FakeServer()).get(tea.id)


def test_it_names_the_route_that_it_does_not_have() -> None:
    with pytest.raises(NotFound, match=r"The fake server has no GET /api/v1/tools\."):
        Memory(transport=FakeServer()).tools()
