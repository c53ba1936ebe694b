def test_a_retracted_chunk_is_in_no_query(world):
    sensitive = world.chunk("This contains PII: SSN 123-45-6789")
    others = [world.chunk(f"Note {number} about the SSN policy") for number in range(10)]

    edit = world.edit(sensitive, "retract", reason="PII violation")

    assert edit["status"] == "approved"
    assert edit["applied_at"]
    texts = world.found("SSN")
    assert len(texts) == len(others)
    assert not any("123-45-6789" in text for text in texts)
