"""A11: what is retracted is in no query."""

import pytest

PII = "This contains PII: SSN 123-45-6789"


def test_a_retracted_chunk_is_in_no_query(world):
    sensitive = world.chunk(PII)
    others = [world.chunk(f"Note {number} about the SSN policy") for number in range(10)]

    edit = world.edit(sensitive, "retract", reason="PII violation")

    assert edit["status"] == "approved"
    assert edit["applied_at"]
    texts = world.found("SSN")
    assert len(texts) == len(others)
    assert not any("123-45-6789" in text for text in texts)


def test_the_edit_is_recorded(world):
    edit = world.edit(world.chunk(PII), "retract", reason="PII violation")

    recorded = world.auditor.ok("get", f"edits/{edit['edit_id']}")
    assert (recorded["op"], recorded["status"], recorded["reason"]) == ("retract", "approved", "PII violation")
    assert recorded["applied_at"] == edit["applied_at"]
    assert recorded["proposer"] == world.bob_name


@pytest.mark.parametrize("include_quarantined", [False, True])
def test_no_other_way_of_reading_shows_it_either(world, include_quarantined):
    recorded = world.event(PII)
    (sensitive,) = recorded["chunk_ids"]
    other = world.chunk("Something else")
    world.edit(sensitive, "retract", reason="PII violation")

    explicit = {"include_quarantined": include_quarantined}
    flag = str(include_quarantined).lower()
    assert world.alice.ok("post", "chunks/get", {"chunk_ids": [sensitive, other], **explicit})["chunks"][0]["text"] == (
        "Something else"
    )
    listed = world.alice.ok("get", f"chunks?include_quarantined={flag}")["results"]
    assert [chunk["chunk_id"] for chunk in listed] == [other]
    around = world.alice.ok("get", f"chunks/{other}/timeline?include_quarantined={flag}")["chunks"]
    assert [chunk["chunk_id"] for chunk in around] == [other]
    assert world.alice.get(f"chunks/{sensitive}/timeline?include_quarantined={flag}").status_code == 404
    event = world.alice.get(f"events/{recorded['event_id']}?include_quarantined={flag}")
    assert event.json()["withheld"] == "retracted"
    assert "6789" not in event.content.decode()
    assert "6789" not in world.alice.get(f"events?include_quarantined={flag}").content.decode()
