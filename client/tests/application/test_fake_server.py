"""The scenarios on the fake server, with both faces."""

import pytest

from suture_client import Memory, NotFound
from suture_client.testing import FakeServer
from tests.application.faces import opened
from tests.application.scenarios import SCENARIOS, Scenario

pytestmark = pytest.mark.pure


@pytest.mark.parametrize("face", ["Memory", "AsyncMemory"])
@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda one: one.__name__)
def test_scenario(scenario: Scenario, face: str) -> None:
    with opened(face, transport=FakeServer()) as memory:
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
