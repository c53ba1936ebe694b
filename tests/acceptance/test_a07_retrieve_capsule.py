"""A7: an agent of the audience finds the capsule by its subject and reads it."""


def test_bob_finds_and_reads_what_alice_shared(world, given, handed):
    chunk = world.chunk("Jack is on the premium plan")
    risks = ["Jack has elevated support tier", "Recent complaint about billing"]
    handed([world.chunk("about somebody else")], subject_id="jane-smith-456")
    capsule = handed([chunk], risks=risks)

    found = given("agent-bob").ok("get", "capsules?subject_type=user&subject_id=jack-doe-123")["results"]

    assert [one["capsule_id"] for one in found] == [capsule]
    assert found[0]["author"] == "alice"
    assert found[0]["risks"] == risks
    assert found[0]["items"]["chunks"] == [chunk]
    read = given("agent-bob").ok("get", f"capsules/{capsule}")
    assert [item["text"] for item in read["items"]["chunks"]] == ["Jack is on the premium plan"]
