"""What agents decide for everybody is in force at once under `standard`, and listed for review."""

import pytest

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "review"])


@pytest.fixture
def client(world, desk):
    return desk(world.bob_name).client


def listed(client, **filters):
    answer = client.get("/admin/memory/effectivedecision/", filters)
    assert answer.status_code == 200
    return [str(row.id) for row in answer.context["cl"].result_list], answer.content.decode()


def decide(world, by=None, **content):
    body = world.draft("so", kind="decision", content={"decision": "Refund", **content})
    return (by or world.alice).ok("post", "events", body)["decision_id"]


def test_they_are_listed_and_counted(world, client):
    rule, everywhere = decide(world, scope="policy"), decide(world, scope="global")
    decide(world, scope="session")
    decide(world, by=world.bob, scope="policy")
    retracted = decide(world, scope="policy")
    world.edit(retracted, "retract", target_type="decision")

    found, page = listed(client, rules="agents")

    assert found == [everywhere, rule]
    assert "alice" in page
    assert len(listed(client)[0]) == 5
    home = client.get("/admin/").content.decode()
    assert "Rules decided by agents" in home
    assert "?rules=agents" in home
