"""A8: who is not in the audience gets 403 and no content. (Charlie is an agent of the same tenant here.)"""


def test_charlie_is_refused_without_content(world, given, handed):
    capsule = handed([world.chunk("Jack's secret plan")], note="a private note", risks=["a private risk"])

    response = given("agent-charlie").get(f"capsules/{capsule}")

    assert response.status_code == 403
    assert response.json()["title"] == "Not in audience"
    for word in ("secret", "private", "jack-doe", "alice"):
        assert word not in response.content.decode()


def test_charlie_does_not_find_it(given, handed, world):
    handed([world.chunk()])

    assert given("agent-charlie").ok("get", "capsules")["results"] == []
