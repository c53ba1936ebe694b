"""Whatever an agent commits, consolidates and writes into blocks, and whatever edits do to it, in any order: every way
of reading its memory agrees with a plain model, nothing drifts, and its chain verifies."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test

from governance.ledger.verification import verify
from memory.curation.rebuilding import rebuild
from memory.db import effective_drift
from tests.scale import at_scale
from tests.surgery.model import READERS, Edit
from tests.tools.calls import call

from .model import LABELS, Chain, Own

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])]

PICKS = st.integers(0, 10_000)
CHANNELS = st.sampled_from(["private", "private", "private", "public"])
OPENNESS = ["private", "agent", "team", "public"]
LEVELS = ["none", "low", "high", "secret"]
PATCHES = st.one_of(
    st.just(("retract", {})),
    st.just(("retract", {})),
    st.just(("quarantine", {})),
    st.builds(lambda channel: ("block", {"channel": channel}), st.sampled_from(["private", "public"])),
    st.just(("amend", {"text": "new"})),
    st.builds(lambda tenths: ("attenuate", {"importance": f"{tenths / 10:.1f}"}), st.integers(0, 10)),
)


class SelfEditing(RuleBasedStateMachine):
    """The product beside the model: each rule does one thing to both, and `check` holds what is read against it."""

    def __init__(self, new_world: Any) -> None:
        super().__init__()
        self.new_world = new_world
        self.chain = Chain()
        self.made = 0
        self.turn = 0

    @initialize()
    def begin(self) -> None:
        self.world = self.new_world("standard")

    def new_text(self) -> str:
        """Three words that occur once."""
        self.made += 1
        return " ".join(f"w{self.made}x{place}" for place in range(3))

    def put(self, answer: Any, seq: int, type: str, text: str, **fields: Any) -> Own:
        assert seq == max(self.chain.memories, default=0) + 1
        one = Own(
            seq=seq, chunk=answer["chunk_id"], type=type, text=text, channel=answer["channel"],
            sensitivity=answer["sensitivity"], importance=Decimal(str(answer["importance"])), **fields,
        )  # fmt: skip
        self.chain.memories[seq] = one
        return one

    # -- what the agent does

    @rule(channel=CHANNELS, sensitivity=st.sampled_from(["none", "none", "high"]), importance=st.integers(1, 10))
    def commit(self, channel: str, sensitivity: str, importance: int) -> None:
        text = self.new_text()
        body = {"content": text, "channel": channel, "sensitivity": sensitivity, "importance": importance}
        answer = call(self.world.alice, "memory_commit", body)
        assert (answer["channel"], answer["sensitivity"]) == (channel, sensitivity)
        self.put(answer, answer["seq"], "memory", text)
        self.check()

    @precondition(lambda self: self.chain.memories)
    @rule(picks=st.lists(PICKS, min_size=1, max_size=3), only_active=st.sampled_from([True, True, True, False]))
    def rethink(self, picks: list[int], only_active: bool) -> None:
        among = [one for one in self.chain.memories.values() if one.label is None]
        if only_active:
            among = [one for one in among if self.chain.successor(one) is None]
        if not among:
            return
        originals = list({one.seq: one for one in (among[pick % len(among)] for pick in picks)}.values())
        text = self.new_text()
        body = {"supersedes": [one.seq for one in originals], "newUnderstanding": text}
        response = self.world.alice.post("tools/memory_rethink", body)
        above = {one.seq: self.chain.successor(one) for one in originals}
        if any(above.values()):
            assert response.status_code == 409, response.content
            told = {fault["pointer"]: fault["detail"] for fault in response.json()["errors"]}
            assert told == {
                f"#/supersedes/{place}": f"Memory {one.seq} is superseded by memory {higher.seq}."
                for place, one in enumerate(originals)
                if (higher := above[one.seq])
            }
            return
        assert response.status_code == 200, response.content
        answer = response.json()
        is_hidden = any(self.chain.is_edited_away(one) for one in originals)
        assert answer["importance"] == max(float(self.chain.state(one).importance) for one in originals)
        assert LEVELS.index(answer["sensitivity"]) == max(LEVELS.index(one.sensitivity) for one in originals)
        assert OPENNESS.index(answer["channel"]) == min(OPENNESS.index(one.channel) for one in originals)
        assert answer["is_quarantined"] == is_hidden
        below = tuple(sorted(one.seq for one in originals))
        made = self.put(answer, answer["consolidationSeq"], "consolidation", text, below=below)
        if is_hidden:
            self.take_hold(made, answer["approval_edit_id"])
        self.check()

    @rule(label=st.sampled_from(LABELS), is_core=st.sampled_from([None, None, True, False]), channel=CHANNELS)
    def update_block(self, label: str, is_core: bool | None, channel: str) -> None:
        text, before = self.new_text(), self.chain.newest_version(label)
        body = {"label": label, "content": text, "channel": channel}
        answer = call(self.world.alice, "block_update", body if is_core is None else {**body, "isCore": is_core})
        core = label in ("persona", "goals") if is_core is None else is_core
        version = 1 if before is None else (before.version or 0) + 1
        told = (answer["version"], answer["previous_block_seq"], answer["is_core"])
        assert told == (version, before and before.seq, core)
        below = () if before is None else (before.seq,)
        self.put(
            answer, answer["seq"], "block", text, label=label, version=version, is_core=core, below=below
        )  # fmt: skip
        self.check()

    # -- what edits do

    def take_hold(self, one: Own, release_id: str) -> None:
        release = self.world.bob.ok("get", f"edits/{release_id}")
        hold = release["patch"]["edit_id"]
        self.chain.surgery.add_edit(Edit(hold, one.chunk, "quarantine", "alice", {}, "approved"))
        self.chain.surgery.add_edit(Edit(release_id, one.chunk, "revert", "alice", {"edit_id": hold}, "pending"))

    def follow(self, chunk: str) -> None:
        """What the product holds because of an edit of this chunk, and because of these holds in turn."""
        for one in self.chain.to_hold(self.chain.of_chunk(chunk)):
            if self.chain.is_hidden(one):
                continue  # held meanwhile, above another
            known = self.chain.surgery.edits
            listed = self.world.bob.ok("get", f"edits?status=pending&limit=200&target_id={one.chunk}")["results"]
            (release,) = [edit for edit in listed if edit["edit_id"] not in known and edit["op"] == "revert"]
            self.take_hold(one, release["edit_id"])
            self.follow(one.chunk)

    @precondition(lambda self: self.chain.memories)
    @rule(pick=PICKS, change=PATCHES, by=st.sampled_from(["bob", "bob", "alice"]))
    def edit(self, pick: int, change: tuple[str, dict[str, str]], by: str) -> None:
        memories = list(self.chain.memories.values())
        op, patch = change
        if "text" in patch:
            patch = {"text": self.new_text()}
        target = memories[pick % len(memories)].chunk
        sent = {name: float(one) if name == "importance" else one for name, one in patch.items()}
        person = getattr(self.world, by)
        response = person.post(
            "edits", {"target_type": "chunk", "target_id": target, "op": op, "reason": "a test", "patch": sent}
        )
        if by == "alice" and response.status_code == 404:  # not heard in any channel
            assert self.chain.state(self.chain.of_chunk(target)).blocked
            return
        assert response.status_code == 201, response.content
        answer = response.json()
        is_at_once = by == "bob" or self.chain.surgery.own_applies_at_once(op, {target})
        assert answer["status"] == ("approved" if is_at_once else "pending")
        self.chain.surgery.add_edit(Edit(answer["edit_id"], target, op, by, patch, answer["status"]))
        if answer["status"] == "approved" and op in ("retract", "quarantine", "block"):
            self.follow(target)
        self.check()

    def approved(self) -> list[Edit]:
        return [one for one in self.chain.surgery.edits.values() if self.chain.surgery.can_be_reverted(one.id)]

    @precondition(lambda self: self.approved())
    @rule(pick=PICKS)
    def revert(self, pick: int) -> None:
        edits = self.approved()
        edit = edits[pick % len(edits)]
        answer = self.world.bob.ok("post", f"edits/{edit.id}/revert", {"reason": "a test"})
        self.chain.surgery.add_edit(
            Edit(answer["edit_id"], edit.target, "revert", "bob", {"edit_id": edit.id}, "approved")
        )
        if edit.op == "revert":
            self.follow(edit.target)
        self.check()

    def pending(self) -> list[Edit]:
        return [edit for edit in self.chain.surgery.edits.values() if edit.status == "pending"]

    @precondition(lambda self: self.pending())
    @rule(pick=PICKS, verdict=st.sampled_from(["approve", "approve", "approve", "reject"]))
    def decide(self, pick: int, verdict: str) -> None:
        waiting = self.pending()
        edit = waiting[pick % len(waiting)]
        response = self.world.bob.post(f"edits/{edit.id}/{verdict}", {"reason": "a test"})
        assert response.status_code == 200, response.content
        edit.is_decided_by_person = True
        if verdict == "reject":
            edit.status = "rejected"
        else:
            self.chain.surgery.apply(edit)
            if edit.op in ("retract", "quarantine", "block"):
                self.follow(edit.target)
        self.check()

    # -- reading

    def check(self) -> None:
        """One kind of reader a step, in turn."""
        self.turn += 1
        reader = READERS[self.turn % len(READERS)]
        chain, alice = self.chain, self.world.alice
        in_query = f"limit=200&include_quarantined={str(reader.quarantined).lower()}"
        in_query += f"&channel={reader.channel}" if reader.channel else ""
        for superseded in (False, True):
            found = alice.ok("get", f"chain?{in_query}&include_superseded={str(superseded).lower()}")["results"]
            self.assert_same(found, chain.seen(reader, superseded=superseded))
        pending = {edit["edit_id"] for edit in self.world.bob.ok("get", "edits?status=pending&limit=200")["results"]}
        assert pending == {edit.id for edit in self.pending()}
        self.check_one(reader, in_query)
        if not reader.quarantined:
            self.check_blocks(reader)
            self.check_recall(reader)
        if self.turn % 4 == 0:
            self.assert_no_drift()

    def assert_same(self, found: list[dict[str, Any]], expected: list[Own]) -> None:
        told = [
            {
                "seq": one["seq"], "chunk": one["chunk_id"], "type": one["type"], "text": one["content"],
                "importance": one["importance"], "by": one["superseded_by"], "is_superseded": one["is_superseded"],
                "supersedes": one["supersedes"], "label": one["block_label"], "version": one["version"],
                "is_core": one["is_core"], "edits": one["edits_applied"], "quarantined": one["is_quarantined"],
            }
            for one in found
        ]  # fmt: skip
        wanted = []
        for one in expected:
            state, above = self.chain.state(one), self.chain.successor(one)
            wanted.append(
                {
                    "seq": one.seq, "chunk": one.chunk, "type": one.type, "text": self.chain.text(one),
                    "importance": float(state.importance), "by": above and above.seq,
                    "is_superseded": above is not None,
                    "supersedes": list(one.below) if one.type == "consolidation" else [], "label": one.label,
                    "version": one.version, "is_core": one.is_core, "edits": state.edits,
                    "quarantined": state.quarantined,
                }
            )  # fmt: skip
        assert told == wanted

    def check_one(self, reader: Any, in_query: str) -> None:
        """A memory by its number."""
        memories = list(self.chain.memories.values())
        if not memories:
            return
        one = memories[self.turn % len(memories)]
        response = self.world.alice.get(f"chain/{one.seq}?{in_query.removeprefix('limit=200&')}")
        if one in self.chain.seen(reader, superseded=True):
            self.assert_same([response.json()], [one])
        else:
            assert response.status_code == 404

    def check_blocks(self, reader: Any) -> None:
        asked = {"channel": reader.channel} if reader.channel else {}
        for label in LABELS:
            versions = [one for one in self.chain.seen(reader, superseded=False) if one.label == label]
            found = call(self.world.alice, "block_get", {"label": label, **asked})["memory"]
            self.assert_same([found] if found else [], versions[:1])
            history = call(self.world.alice, "block_history", {"label": label, "limit": 200, **asked})["versions"]
            self.assert_same(history, [one for one in self.chain.seen(reader, superseded=True) if one.label == label])
        core = self.chain.core(reader)
        made = self.world.alice.ok("post", "context/bootstrap", {"max_tokens": 100_000, **asked})
        self.assert_same(made["core"], core)
        assert not {one["chunk_id"] for one in made["memories"]} & {one.chunk for one in core}
        if reader.channel is None:
            self.assert_same(call(self.world.alice, "core_memories")["memories"], core)
            rest = {one.chunk for one in self.chain.seen(reader, superseded=False)} - {one.chunk for one in core}
            assert {one["chunk_id"] for one in made["memories"]} == rest
            shown = {f"w{number}x1" for number in range(1, self.made + 1) if f"w{number}x1" in made["system_prompt"]}
            assert shown == {self.chain.text(one).split()[1] for one in self.chain.seen(reader, superseded=False)}

    def check_recall(self, reader: Any) -> None:
        asked = {"channel": reader.channel} if reader.channel else {}
        numbers = range(max(1, self.made - 60), self.made + 1)
        query = " OR ".join(f"w{number}x1" for number in numbers)
        words = {f"w{number}x1" for number in numbers}
        if not words:
            return
        for superseded in (False, True):
            body = {"query": query, "maxResults": 100, "maxTokens": 100_000, "includeSuperseded": superseded, **asked}
            found = call(self.world.alice, "memory_recall", body)["memories"]
            expected = {
                (one.seq, self.chain.text(one), above.seq if (above := self.chain.successor(one)) else None)
                for one in self.chain.assembled(reader, superseded=superseded)
                if self.chain.text(one).split()[1] in words
            }
            assert {(one["seq"], one["content"], one["superseded_by"]) for one in found} == expected

    def assert_no_drift(self) -> None:
        with self.world.inside("owner"):
            assert effective_drift.on("owner")(tenant=self.world.tenant_id) == []

    def teardown(self) -> None:
        if not hasattr(self, "world"):
            return
        self.check()
        self.assert_no_drift()
        report = verify(self.world.tenant_id)
        assert report.ok, report.findings
        _, differences = rebuild(self.world.tenant_id, "alice")
        assert differences == []


@pytest.mark.scaled
def test_every_way_of_reading_agrees_with_a_plain_model(new_world: Any) -> None:
    run_state_machine_as_test(
        lambda: SelfEditing(new_world),  # type: ignore[arg-type] # any factory will do
        settings=settings(
            max_examples=at_scale(6, 45),
            stateful_step_count=25,
            suppress_health_check=list(HealthCheck),
        ),
    )
