"""What tests of edits of an audience need."""

from tests.audiences.conftest import ADA, BO, CHARLIE

WORDS = "The zebra has measles"
FOR_BOTH = {"principals": [ADA, BO]}
ALL = {ADA, BO, CHARLIE}


def made(clinic, audience=None, text=WORDS, **fields):
    """A chunk with this audience."""
    (chunk,) = clinic.record(text, audience, **fields)["chunk_ids"]
    return chunk


def changed(api, target, audience, target_type="chunk", **headers):
    """The answer to a proposal of a new audience."""
    body = {
        "target_type": target_type, "target_id": target, "op": "audience", "reason": "a test",
        "patch": {"audience": audience},
    }  # fmt: skip
    return api.post("edits", body, **headers)


def change(api, target, audience, target_type="chunk", **headers):
    """The outcome of a proposal of a new audience, which must be a success."""
    answer = changed(api, target, audience, target_type, **headers)
    assert answer.status_code == 201, answer.content
    return answer.json()


def hearing(clinic, text=WORDS):
    """Who hears the text."""
    return {one for one in ALL if text in clinic.texts(by=one)}


def revert(clinic, edit):
    """Revert an edit as bob."""
    return clinic.world.bob.ok("post", f"edits/{edit}/revert", {"reason": "a test"})
