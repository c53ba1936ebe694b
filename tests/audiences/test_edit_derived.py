"""What was made from a memory, and what stands beside it, follows an edit of its audience."""

import pytest

from memory.usage import deliveries
from tests.audiences.conftest import ADA, BO, FOR_ADA
from tests.audiences.editing import ALL, WORDS, change, changed, hearing, made, revert
from tests.surgery.helpers import drift

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])


def test_an_edit_of_a_decision_changes_its_whole_memory(clinic):
    event = clinic.record(WORDS, kind="decision", content={"decision": "Isolate the zebra"})
    edit = change(clinic.world.bob, event["decision_id"], FOR_ADA, "decision")["edit_id"]
    for who, count in ((ADA, 1), (BO, 0)):
        assert len(clinic.heard("get", "decisions", by=who)["results"]) == count
        assert len(clinic.heard("get", "chunks", by=who)["results"]) == count * len(event["chunk_ids"])
        assert len(clinic.heard("get", "events", by=who)["results"]) == count
    revert(clinic, edit)
    assert len(clinic.heard("get", "decisions", by=BO)["results"]) == 1
    change(clinic.world.bob, event["chunk_ids"][0], FOR_ADA)
    assert clinic.heard("get", "decisions", by=BO)["results"] == [], "its words are in the chunk"
    assert drift(clinic.world) == []


def test_the_projection_of_a_task_follows(clinic):
    event = clinic.record(WORDS, kind="task_update", content={"title": "Isolate the zebra", "status": "open"})
    change(clinic.world.bob, event["chunk_ids"][0], FOR_ADA)
    assert [len(clinic.heard("get", "tasks", by=who)["results"]) for who in (ADA, BO)] == [1, 0]
    assert drift(clinic.world) == []


def test_the_chunk_beside_gives_up_the_words_that_it_shares(clinic):
    words = " ".join(f"word{n}" for n in range(450))
    chunks = clinic.record(words)["chunk_ids"]
    change(clinic.world.bob, chunks[1], FOR_ADA)
    heard = clinic.texts(by=BO)
    assert len(heard) == len(chunks) - 1
    hidden = next(text for text in clinic.texts(by=ADA) if text not in heard)
    assert not set(hidden.split()) & {word for text in heard for word in text.split()}
    assert drift(clinic.world) == []


def received(clinic, *, by):
    clinic.asking.ok(
        "post",
        "chunks/search",
        {"query": "measles zebra", "limit": 50},
        **{"X-On-Behalf-Of": by, "X-Session-Id": "s-1"},
    )
    deliveries.record_deliveries()


def test_quotes_and_quotes_of_quotes_follow(clinic):
    source = made(clinic, session_id="earlier")
    received(clinic, by=ADA)
    quote = f"I read this: {WORDS}, so I isolate it"
    made(clinic, text=quote, session_id="s-1")
    received(clinic, by=ADA)
    again = f"As I said before, {quote}, and I tell the ward"
    made(clinic, text=again, session_id="s-1")
    edit = change(clinic.world.bob, source, FOR_ADA)["edit_id"]
    assert [hearing(clinic, text) for text in (WORDS, quote, again)] == [{ADA}, {ADA}, {ADA}]
    assert drift(clinic.world) == []
    revert(clinic, edit)
    assert [hearing(clinic, text) for text in (WORDS, quote, again)] == [ALL, ALL, ALL]
    assert drift(clinic.world) == []


def test_consolidations_follow(clinic):
    commits = [clinic.asking.ok("post", "tools/memory_commit", {"content": f"{WORDS}, case {n}"}) for n in (1, 2)]
    text = "Two zebras have measles"
    clinic.asking.ok(
        "post",
        "tools/memory_rethink",
        {"new_understanding": text, "supersedes": [one["seq"] for one in commits]},
    )
    assert hearing(clinic, text) == ALL
    edit = change(clinic.world.bob, commits[0]["chunk_id"], FOR_ADA)["edit_id"]
    assert hearing(clinic, text) == {ADA}
    assert drift(clinic.world) == []
    revert(clinic, edit)
    assert hearing(clinic, text) == ALL
    assert drift(clinic.world) == []


def test_words_that_are_lent_to_the_neighbours_go_with_it(clinic):
    chunk = made(clinic, text="The zebra has measles")
    made(clinic, text="It was isolated at once")
    clinic.asking.ok("post", "chunks/search", {"query": "measles"})
    change(clinic.world.bob, chunk, FOR_ADA)
    found = clinic.heard("post", "chunks/search", {"query": "measles"}, by=BO)["chunks"]
    assert found == []
    assert drift(clinic.world) == []


@pytest.mark.slow
def test_edits_and_recordings_with_new_audiences_at_once_wait_for_each_other(clinic, at_once):
    """Each round has audiences without a number, a source and its quote."""
    source = made(clinic, session_id="earlier")
    received(clinic, by=ADA)
    quote = made(clinic, text=f"I read this: {WORDS}, so I isolate it", session_id="s-1")
    bob, ann = clinic.world.bob, clinic.world.ann
    for number in range(5):
        new = [{"principals": [ADA, f"patient:p{number}-{place}"]} for place in range(4)]
        bulk = [
            {
                "target_type": "chunk",
                "target_id": target,
                "op": "audience",
                "reason": "x",
                "patch": {"audience": new[2]},
            }
            for target in (quote, source)
        ]
        draft = {**clinic.world.draft(f"Case {number}", session_id="s-1"), "audience": new[3]}
        answers = at_once(
            lambda new=new: changed(bob, source, new[0]),
            lambda new=new: changed(ann, quote, new[1]),
            lambda bulk=bulk: bob.post("edits/bulk", {"edits": bulk}),
            lambda draft=draft: clinic.asking.post("events", draft),
        )
        assert [answer.status_code for answer in answers] == [201] * 4
    assert hearing(clinic) == {ADA}
    assert drift(clinic.world) == []
