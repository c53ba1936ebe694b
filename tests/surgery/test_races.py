"""What happens at once has one outcome, and whoever reads meanwhile sees memory before or after, never between."""

import itertools
import threading

import pytest

from .helpers import drift, proposal, read, status_of

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])]

ROUNDS = 5


def recorded_by_bob(world):
    """A person's memory: what an agent retracts of it waits."""
    return world.bob.ok("post", "events", world.draft("Original", session_id="of-bob"))["chunk_ids"][0]


def waiting(world, chunk, op="retract", **patch):
    edit = world.edit(chunk, op, by=world.alice, **patch)
    assert edit["status"] == "pending"
    return edit["edit_id"]


def statuses(answers):
    return sorted(answer.status_code for answer in answers)


def test_of_two_approvals_at_once_one_counts(world, at_once):
    for _ in range(ROUNDS):
        chunk = recorded_by_bob(world)
        edit = waiting(world, chunk)

        answers = at_once(
            lambda edit=edit: world.bob.post(f"edits/{edit}/approve", {}),
            lambda edit=edit: world.ann.post(f"edits/{edit}/approve", {}),
        )

        assert statuses(answers) == [200, 409]
        assert len(world.bob.ok("get", f"edits/{edit}")["verdicts"]) == 1
        assert read(world, chunk) is None
    assert drift(world) == []


def test_of_an_approval_and_a_rejection_at_once_one_counts_and_memory_agrees(world, at_once):
    for _ in range(ROUNDS):
        chunk = recorded_by_bob(world)
        edit = waiting(world, chunk)

        answers = at_once(
            lambda edit=edit: world.bob.post(f"edits/{edit}/approve", {}),
            lambda edit=edit: world.ann.post(f"edits/{edit}/reject", {"reason": "no"}),
        )

        assert statuses(answers) == [200, 409]
        (verdict,) = world.bob.ok("get", f"edits/{edit}")["verdicts"]
        assert verdict["decision"] == status_of(world, edit)
        assert (read(world, chunk) is None) is (verdict["decision"] == "approved")
    assert drift(world) == []


def test_of_a_withdrawal_and_an_approval_at_once_one_counts(world, at_once):
    for _ in range(ROUNDS):
        chunk = recorded_by_bob(world)
        edit = waiting(world, chunk)

        answers = at_once(
            lambda edit=edit: world.alice.post(f"edits/{edit}/withdraw", {}),
            lambda edit=edit: world.bob.post(f"edits/{edit}/approve", {}),
        )

        assert statuses(answers) == [200, 409]
        (verdict,) = world.bob.ok("get", f"edits/{edit}")["verdicts"]
        assert verdict["decision"] == status_of(world, edit)
        assert (read(world, chunk) is None) is (verdict["decision"] == "approved")


def test_a_revert_and_an_amendment_at_once_both_take_effect(world, at_once):
    for _ in range(ROUNDS):
        chunk = recorded_by_bob(world)
        first = world.edit(chunk, "amend", text="First correction", importance=0.9)["edit_id"]

        answers = at_once(
            lambda first=first: world.bob.post(f"edits/{first}/revert", {"reason": "wrong"}),
            lambda chunk=chunk: world.ann.post("edits", proposal(chunk, "amend", text="Second correction")),
        )

        assert statuses(answers) == [201, 201]
        shown = read(world, chunk)
        assert (shown["text"], shown["importance"], shown["edits_applied"]) == ("Second correction", 0.5, 1)
    assert drift(world) == []


def test_of_two_reverts_of_one_edit_at_once_one_counts(world, at_once):
    for _ in range(ROUNDS):
        chunk = recorded_by_bob(world)
        edit = world.edit(chunk, "amend", text="Corrected")["edit_id"]

        answers = at_once(
            lambda edit=edit: world.bob.post(f"edits/{edit}/revert", {"reason": "wrong"}),
            lambda edit=edit: world.ann.post(f"edits/{edit}/revert", {"reason": "wrong"}),
        )

        assert statuses(answers) == [201, 409], [answer.content for answer in answers]
        assert read(world, chunk)["text"] == "Original"
    assert drift(world) == []


def test_many_attenuations_at_once_all_add_up(world, at_once):
    chunk = world.chunk("Original")

    answers = at_once(
        *(
            lambda by=by: by.post("edits", proposal(chunk, "attenuate", importance_delta=-0.05))
            for by in [world.bob, world.ann] * 3
        )
    )

    assert statuses(answers) == [201] * 6
    shown = read(world, chunk)
    assert (shown["importance"], shown["edits_applied"]) == (0.2, 6)
    assert drift(world) == []


def test_bulk_edits_of_the_same_chunks_in_opposite_orders_both_take_effect(world, at_once):
    for _ in range(ROUNDS):
        chunks = [world.chunk(f"Original {number}") for number in range(4)]

        answers = at_once(
            lambda chunks=chunks: world.bob.post(
                "edits/bulk", {"edits": [proposal(chunk, "attenuate", importance_delta=-0.1) for chunk in chunks]}
            ),
            lambda chunks=chunks: world.ann.post(
                "edits/bulk", {"edits": [proposal(chunk, "attenuate", importance_delta=-0.2) for chunk in chunks[::-1]]}
            ),
        )

        assert statuses(answers) == [201, 201], [answer.content for answer in answers]
        assert {read(world, chunk)["importance"] for chunk in chunks} == {0.2}
    assert drift(world) == []


def test_edits_of_neighbouring_chunks_at_once_leave_no_shared_words(world, at_once):
    for _ in range(ROUNDS):
        text = " ".join(f"word{number}" for number in range(380))
        first, middle, last = world.event(text)["chunk_ids"]

        answers = at_once(
            lambda first=first: world.bob.post("edits", proposal(first, "retract")),
            lambda last=last: world.ann.post("edits", proposal(last, "retract")),
        )

        assert statuses(answers) == [201, 201], [answer.content for answer in answers]
        assert read(world, middle)["text"].split() == [f"word{number}" for number in range(200, 300)]
    assert drift(world) == []


def test_a_search_during_edits_sees_memory_before_or_after_and_never_half(world, at_once):
    """Text and importance change together: the text of one state with the importance of another is half an edit."""
    chunk = world.chunk("constant version 0")
    whole = {("constant version 0", 0.5)} | {(f"constant version {n}", n / 100) for n in range(1, 41)}
    done = threading.Event()
    has_read = {"chunks/search": threading.Event(), "chunks/get": threading.Event()}

    def edit_on():
        try:
            for number in range(1, 41):
                body = proposal(chunk, "amend", text=f"constant version {number}", importance=number / 100)
                assert world.bob.post("edits", body).status_code == 201
                if number % 10 == 0:  # however fast the edits are: both have read since the last of these
                    for read_again in has_read.values():
                        read_again.clear()
                        assert read_again.wait(60)
        finally:
            done.set()

    def search_on(path, ask):
        seen = []
        for _ in itertools.takewhile(lambda _: not done.is_set(), itertools.count()):
            answer = world.alice.ok("post", path, ask)["chunks"]
            seen += [(found["text"], found["importance"]) for found in answer]
            assert len(answer) == 1, "an amended chunk is found in every moment, once"
            has_read[path].set()
        return seen

    by_search, by_get, edited = at_once(
        lambda: search_on("chunks/search", {"query": "constant"}),
        lambda: search_on("chunks/get", {"chunk_ids": [chunk]}),
        edit_on,
    )

    assert edited is None
    assert set(by_search) <= whole
    assert set(by_get) <= whole
    assert read(world, chunk)["text"] == "constant version 40"
    assert drift(world) == []


def test_a_search_during_a_bulk_edit_sees_all_of_it_or_nothing(world, at_once):
    chunks = [world.chunk(f"constant old {number}") for number in range(30)]
    done = threading.Event()

    def edit_at_once():
        try:
            edits = [proposal(chunk, "amend", text=f"constant new {number}") for number, chunk in enumerate(chunks)]
            return world.bob.post("edits/bulk", {"edits": edits}).status_code
        finally:
            done.set()

    def search_on():
        seen: list[tuple[int, int]] = []
        while not seen or not done.is_set():
            texts = world.found("constant")
            seen.append((sum("old" in text for text in texts), sum("new" in text for text in texts)))
        return seen

    edited, seen = at_once(edit_at_once, search_on)

    assert edited == 201
    assert set(seen) <= {(30, 0), (0, 30)}
    assert len(world.found("new")) == 30
