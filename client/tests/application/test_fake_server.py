"""The scenarios on the fake server, with both faces."""

import threading

import httpx
import pytest

from suture_client import Invalid, Memory, NotFound
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
    answer = httpx.Client(transport=FakeServer()).get("http://suture/api/v1/edits")
    assert (answer.status_code, answer.json()["detail"]) == (404, "The fake server has no GET /api/v1/edits.")
    memory = Memory(transport=FakeServer())
    assert "has no tool timeline" in memory.call({"name": "timeline", "input": {}})
    with pytest.raises(Invalid, match="has no tool timeline"):
        memory.tools(only=["timeline"])
    with pytest.raises(Invalid, match="has the formats openai, openai-responses, anthropic, not gemini"):
        memory.tools("gemini")


def test_a_test_decides_what_waits() -> None:
    server = FakeServer(waits=True)
    memory = Memory(transport=server)
    tea, home = memory.remember("Ada drinks oolong"), memory.remember("Ada lives in Rome")
    corrected = tea.correct("Ada drinks coffee", reason="she said so")
    forgotten = home.forget(reason="asked to")
    everywhere = tea.correct("Ada drinks tea", reason="she said so", everywhere=True)
    assert [one.status for one in (corrected, forgotten, everywhere)] == ["pending"] * 3
    assert (corrected.wait(0), tea.refresh().text) == (None, "Ada drinks oolong")
    server.decide(corrected.edit_ids[0], by="bob", reason="I asked her")
    server.decide(forgotten.edit_ids[0], approve=False, by="bob")
    approved, rejected = corrected.wait(0), forgotten.wait(0)
    assert approved is not None
    assert rejected is not None
    assert (approved.is_approved, approved.by, approved.reason) == (True, "bob", "I asked her")
    assert (rejected.status, tea.refresh().text) == ("rejected", "Ada drinks coffee")
    assert memory.get(home.id).text == "Ada lives in Rome"
    with pytest.raises(KeyError):
        server.decide(corrected.edit_ids[0])


def test_verdicts_are_heard_in_order_and_from_then_on() -> None:
    server = FakeServer(waits=True)
    memory = Memory(transport=server)
    edits = [memory.remember(f"Number {n}").forget(reason="asked to").edit_ids[0] for n in range(3)]
    server.decide(edits[0])
    listening = memory.verdicts(after="0")
    assert next(listening).edit_id == edits[0]
    later = threading.Timer(0, server.decide, [edits[1]], {"approve": False})
    later.start()
    heard = next(listening)
    assert (heard.edit_id, heard.status, heard.id) == (edits[1], "rejected", "2")
    later.join()
    server.decide(edits[2])
    assert next(memory.verdicts(after=heard.id)).edit_id == edits[2]
