"""A10: the author revokes a capsule."""

from datetime import datetime


def test_after_the_revocation_nobody_of_the_audience_reads_it(world, given, handed):
    capsule = handed([world.chunk("secret words")], to=["agent-bob", "agent-charlie"])
    assert given("agent-bob").get(f"capsules/{capsule}").status_code == 200

    answer = world.alice.ok("delete", f"capsules/{capsule}")

    assert answer["capsule_id"] == capsule
    assert answer["status"] == "revoked"
    assert datetime.fromisoformat(answer["revoked_at"])
    for name in ("agent-bob", "agent-charlie"):
        response = given(name).get(f"capsules/{capsule}")
        assert response.status_code == 403
        assert "secret" not in response.content.decode()
        assert given(name).ok("get", "capsules")["results"] == []
    own = world.alice.ok("get", f"capsules/{capsule}")
    assert (own["status"], own["revoked_at"]) == ("revoked", answer["revoked_at"])
