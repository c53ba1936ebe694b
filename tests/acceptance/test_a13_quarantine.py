"""A13: quarantine takes a chunk out of automatic retrieval only."""


def test_a_quarantined_chunk_comes_only_when_asked_for_and_is_marked(world):
    world.chunk("Notes of the company picnic")
    chunk = world.chunk("Rumor about company merger")
    assert "Rumor about company merger" in world.found("company")

    edit = world.edit(chunk, "quarantine", reason="Unverified, awaiting fact check")

    assert world.auditor.ok("get", f"edits/{edit['edit_id']}")["op"] == "quarantine"
    assert world.found("company", include_quarantined=False) == ["Notes of the company picnic"]
    assert world.found("company") == ["Notes of the company picnic"]
    answer = world.alice.ok("post", "chunks/search", {"query": "company", "include_quarantined": True})
    marks = {found["text"]: found["is_quarantined"] for found in answer["chunks"]}
    assert marks == {"Rumor about company merger": True, "Notes of the company picnic": False}


def test_get_list_and_timeline_agree(world):
    chunk = world.chunk("Rumor about company merger")
    other = world.chunk("Notes of the company picnic")
    world.edit(chunk, "quarantine")

    for include, expected in ((False, [False]), (True, [False, True])):
        flag = str(include).lower()
        got = world.alice.ok("post", "chunks/get", {"chunk_ids": [other, chunk], "include_quarantined": include})
        listed = world.alice.ok("get", f"chunks?include_quarantined={flag}")["results"]
        around = world.alice.ok("get", f"chunks/{other}/timeline?include_quarantined={flag}")["chunks"]
        assert [read["is_quarantined"] for read in got["chunks"]] == expected
        assert [read["is_quarantined"] for read in listed] == expected
        assert [read["is_quarantined"] for read in around] == expected
