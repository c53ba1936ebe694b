"""Whatever is recorded, proposed, decided and reverted, in any order: every way of reading agrees with a plain fold."""

from datetime import datetime

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test

from governance.identity import identities
from memory.db import effective_drift
from tests.factories import DecisionFactory, EditFactory
from tests.scale import at_scale
from tests.world import Api

from .model import CHANNELS, READERS, Chunk, Edit, Memory, Model, windows
from .reading_checks import ReadingChecks

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])]

IMPORTANCES = st.integers(0, 10_000).map(lambda number: f"{number / 10_000:.4f}")
DELTAS = st.integers(-10_000, 10_000).map(lambda number: f"{number / 10_000:.4f}")
PICKS = st.integers(0, 10_000)
PATCHES = st.one_of(
    st.just(("retract", {})),
    st.just(("quarantine", {})),
    st.builds(lambda channel: ("block", {"channel": channel}), st.sampled_from(CHANNELS)),
    st.just(("audience", {"audience": "new"})),
    st.just(("amend", {"text": "new"})),
    st.builds(lambda importance: ("amend", {"importance": importance}), IMPORTANCES),
    st.builds(lambda importance: ("amend", {"text": "new", "importance": importance}), IMPORTANCES),
    st.builds(lambda importance: ("attenuate", {"importance": importance}), IMPORTANCES),
    st.builds(lambda delta: ("attenuate", {"importance_delta": delta}), DELTAS),
)
PROPOSERS = st.sampled_from(["alice", "bob", "dave"])


def sent(body):
    """The body as JSON has it: the model's numbers are exact decimals."""
    patch = {name: float(one) if name.startswith("importance") else one for name, one in body["patch"].items()}
    return {**body, "patch": patch}


class MemorySurgery(ReadingChecks, RuleBasedStateMachine):
    """The product beside the model: each rule does one thing to both, and `check` holds what is read against it."""

    def __init__(self, new_world):
        super().__init__()
        self.new_world = new_world
        self.model = Model()
        self.made = 0
        self.ever_said = []

    @initialize(policy=st.sampled_from(["standard", "open", "strict"]))
    def begin(self, policy):
        self.policy = policy
        self.world = self.new_world(policy)
        made = identities.provision(self.world.slug, agents=[("dave", [])])
        self.dave = Api(made.agents["dave"]["key"])

    # -- words that occur once

    def new_text(self, length=6):
        """`length` words, each unique: w3x0 w3x1 ..."""
        self.made += 1
        words = [f"w{self.made}x{place}" for place in range(length)]
        self.ever_said.append(words)
        return " ".join(words)

    # -- recording

    def record(self, text, *, kind="message", channel="private", sensitivity="none", subject=None, **content):
        scope = {"subject_type": "user", "subject_id": subject} if subject else {}
        recorded = self.world.event(
            text, kind=kind, channel=channel, sensitivity=sensitivity, content={**content, **scope}
        )
        words = text
        if kind == "decision":
            words += f" decision: {content['decision']} rationale: - {content['rationale'][0]}"
        spans = windows(words.split())
        assert len(recorded["chunk_ids"]) == len(spans)
        memory = Memory(
            number=len(self.model.memories),
            event=recorded["event_id"],
            ts=datetime.fromisoformat(recorded["ts"]),  # as text, a whole second comes after its fractions
            channel=channel,
            sensitivity=sensitivity,
            subject=subject,
            said=text,
            text=words,
            chunks=[Chunk(chunk, *span) for chunk, span in zip(recorded["chunk_ids"], spans, strict=True)],
            fields=content,
            decision=recorded["decision_id"],
            supersedes=content.get("supersedes"),
        )
        again = self.model.says_again(memory)
        self.model.memories.append(memory)
        held = self.policy == "strict" and kind == "decision" and subject is None
        assert recorded["quarantined_chunk_ids"] == (recorded["chunk_ids"] if held else again)
        for chunk in again:
            (made,) = self.world.bob.ok("get", f"edits?target_id={chunk}")["results"]
            assert (made["op"], made["status"], made["policy"]) == ("quarantine", "approved", "removed-value")
            self.model.add_edit(Edit(made["edit_id"], chunk, "quarantine", "alice", {}, "approved"))
        if held:
            self.hold(recorded)
        self.check()

    def hold(self, recorded):
        """The two edits that keep an agent's rule from being in force until it is approved."""
        release = self.world.bob.ok("get", f"edits/{recorded['approval_edit_id']}")
        hold, decision = release["patch"]["edit_id"], recorded["decision_id"]
        self.model.add_edit(Edit(hold, decision, "quarantine", "alice", {}, "approved"))
        self.model.add_edit(Edit(release["edit_id"], decision, "revert", "alice", release["patch"], "pending"))

    @rule(
        length=st.sampled_from([6, 6, 6, 230, 380]),
        channel=st.sampled_from(["private", "private", "public", "team"]),
        sensitivity=st.sampled_from(["none", "none", "low", "high", "secret"]),
        subject=st.sampled_from([None, "jack"]),
    )
    def record_message(self, length, channel, sensitivity, subject):
        self.record(self.new_text(length), channel=channel, sensitivity=sensitivity, subject=subject)

    @rule(length=st.sampled_from([6, 6, 380]), pick=PICKS, supersede=st.booleans())
    def record_decision(self, length, pick, supersede):
        earlier = [memory.decision for memory in self.model.memories if memory.decision]
        content = {"decision": self.new_text(), "rationale": [self.new_text()]}
        if supersede and earlier:
            content["supersedes"] = old = earlier[pick % len(earlier)]
            if not self.model.is_found_by_agents(old) or not self.model.applies_at_once(
                self.policy, "alice", "amend", old
            ):
                self.refuse_to_supersede(content)
                return
        self.record(self.new_text(length), kind="decision", **content)

    def refuse_to_supersede(self, content):
        response = self.world.alice.post("events", DecisionFactory(content=content))
        assert response.status_code == (403 if self.model.is_found_by_agents(content["supersedes"]) else 400)
        self.check()

    @precondition(lambda self: self.model.removed_values())
    @rule(pick=PICKS, subject=st.sampled_from([None, "jack"]), shout=st.booleans(), decide=st.booleans())
    def record_what_was_removed(self, pick, subject, shout, decide):
        # what the chunk of a decision says with the names of its fields, nobody says
        removed = sorted(text for _, text in self.model.removed_values() if " rationale " not in f" {text}")
        if not removed:
            return
        text = removed[pick % len(removed)]
        text = text.upper().replace(" ", ", ") if shout else text
        if decide:
            content = {"decision": text, "rationale": [self.new_text()]}
            self.record(self.new_text(), kind="decision", subject=subject, **content)
        else:
            self.record(text, subject=subject)

    # -- proposing

    def targets(self):
        chunks = [("chunk", chunk.id) for memory in self.model.memories for chunk in memory.chunks]
        return chunks + [("decision", memory.decision) for memory in self.model.memories if memory.decision]

    def body(self, target, op, patch):
        target_type, target_id = target
        if "text" in patch:
            patch = {**patch, "text": self.new_text()}
        if "audience" in patch:  # which both agents hear, and no other has
            self.made += 1
            patch = {"audience": {"principals": ["agent:alice", "agent:dave", f"user:u{self.made}"]}}
        return EditFactory(target_type=target_type, target_id=target_id, op=op, patch=patch)

    def person(self, by):
        return {"alice": self.world.alice, "bob": self.world.bob, "ann": self.world.ann, "dave": self.dave}[by]

    def finds(self, by, target):
        return by == "bob" or self.model.is_found_by_agents(target)

    def proposed(self, answer, body, by):
        is_at_once = self.model.applies_at_once(self.policy, by, body["op"], body["target_id"], body["patch"])
        expected = "approved" if is_at_once else "pending"
        assert answer["status"] == expected
        assert ("applied_at" in answer) == (expected == "approved")
        counts = by == "dave" and is_at_once
        edit = Edit(answer["edit_id"], body["target_id"], body["op"], by, body["patch"], expected, counts=counts)
        self.model.add_edit(edit)

    @precondition(lambda self: self.model.memories)
    @rule(by=PROPOSERS, change=PATCHES, pick=PICKS)
    def propose(self, by, change, pick):
        targets = self.targets()
        body = self.body(targets[pick % len(targets)], *change)
        if self.finds(by, body["target_id"]):
            self.proposed(self.person(by).ok("post", "edits", sent(body)), body, by)
        else:
            assert self.person(by).post("edits", sent(body)).status_code == 404
        self.check()

    @precondition(lambda self: self.model.edits)
    @rule(by=st.sampled_from(["bob", "bob", "alice"]), pick=PICKS, latest=st.booleans(), by_endpoint=st.booleans())
    def revert(self, by, pick, latest, by_endpoint):
        # mostly what was applied last, which may be a revert itself
        edits = [*self.model.edits.values()]
        edit = max(edits, key=lambda edit: edit.applied) if latest else edits[pick % len(edits)]
        target_type = "decision" if edit.target in [memory.decision for memory in self.model.memories] else "chunk"
        body = self.body((target_type, edit.target), "revert", {"edit_id": edit.id})
        if by_endpoint:
            response = self.person(by).post(f"edits/{edit.id}/revert", {"reason": "a test"})
        else:
            response = self.person(by).post("edits", body)
        if not self.finds(by, edit.target):
            assert response.status_code == 404, response.content
        elif self.model.can_be_reverted(edit.id):
            assert response.status_code == 201, response.content
            self.proposed(response.json(), body, by)
        else:
            assert response.status_code == 409, response.content
        self.check()

    @precondition(lambda self: self.model.memories)
    @rule(
        by=PROPOSERS,
        changes=st.lists(st.tuples(PICKS, PATCHES), min_size=1, max_size=4),
        mode=st.sampled_from(["all_or_nothing", "each"]),
        with_wrong_revert=st.booleans(),
    )
    def propose_in_bulk(self, by, changes, mode, with_wrong_revert):
        targets = self.targets()
        bodies = [self.body(targets[pick % len(targets)], *change) for pick, change in changes]
        if with_wrong_revert:  # an edit of another target, if of any, cannot be reverted here
            wrong = {"edit_id": "00000000-0000-7000-8000-000000000000"}
            bodies.insert(len(bodies) // 2, self.body(targets[0], "revert", wrong))
        response = self.person(by).post("edits/bulk", {"edits": [sent(body) for body in bodies], "mode": mode})
        found = [self.finds(by, body["target_id"]) for body in bodies]
        if mode == "all_or_nothing" and (with_wrong_revert or not all(found)):
            assert response.status_code == (409 if all(found) else 404), response.content
        else:
            assert response.status_code == 201, response.content
            for answer, body, is_found in zip(response.json()["edits"], bodies, found, strict=True):
                if body["op"] == "revert" or not is_found:
                    assert answer["status"] == "refused"
                else:
                    self.proposed(answer, body, by)
        self.check()

    # -- deciding

    def pending(self):
        return [edit for edit in self.model.edits.values() if edit.status == "pending"]

    def reviewed(self, edit):
        """What a verdict names of the edit, which the strict policy requires."""
        seen = self.world.bob.ok("get", f"edits/{edit.id}")
        return {name: seen[name] for name in ("patch_sha256", "target_state")}

    @precondition(lambda self: self.pending())
    @rule(by=st.sampled_from(["bob", "ann"]), pick=PICKS, verdict=st.sampled_from(["approve", "approve", "reject"]))
    def decide(self, by, pick, verdict):
        waiting = self.pending()
        edit = waiting[pick % len(waiting)]
        response = self.person(by).post(f"edits/{edit.id}/{verdict}", {"reason": "a test", **self.reviewed(edit)})
        if edit.by == by:
            assert response.status_code == 403
        else:
            assert response.status_code == 200, response.content
            edit.is_decided_by_person = True
            if verdict == "approve":
                self.model.apply(edit)
            else:
                edit.status = "rejected"
            assert response.json()["status"] == edit.status
        self.check()

    @precondition(lambda self: len(self.pending()) > 1)
    @rule()
    def approve_all_from_the_newest_on(self):
        """The order of application is not that of proposal."""
        for edit in reversed(self.pending()):
            by = self.world.ann if edit.by == "bob" else self.world.bob
            assert by.decide(edit.id)["status"] == "approved"
            edit.is_decided_by_person = True
            self.model.apply(edit)
        self.check()

    @precondition(lambda self: self.pending())
    @rule(pick=PICKS)
    def withdraw(self, pick):
        waiting = self.pending()
        edit = waiting[pick % len(waiting)]
        assert self.person(edit.by).ok("post", f"edits/{edit.id}/withdraw", {})["status"] == "withdrawn"
        edit.status = "withdrawn"
        self.check()

    @precondition(lambda self: any(edit.status != "pending" for edit in self.model.edits.values()))
    @rule(pick=PICKS, verdict=st.sampled_from(["approve", "reject", "withdraw"]))
    def decide_again(self, pick, verdict):
        decided = [edit for edit in self.model.edits.values() if edit.status != "pending"]
        edit = decided[pick % len(decided)]
        by = edit.by if verdict == "withdraw" else "ann"
        body = {"reason": "a test"} if verdict == "withdraw" else {"reason": "a test", **self.reviewed(edit)}
        assert self.person(by).post(f"edits/{edit.id}/{verdict}", body).status_code == 409
        self.check()

    def teardown(self):
        if not hasattr(self, "world"):
            return
        for reader in READERS:
            self.check_reader(reader)
        waiting = self.world.bob.ok("get", "edits?status=pending&limit=200")["results"]
        assert {edit["edit_id"] for edit in waiting} == {edit.id for edit in self.pending()}
        with self.world.inside("owner"):
            assert effective_drift.on("owner")(tenant=self.world.tenant_id) == []


@pytest.mark.scaled
def test_every_way_of_reading_agrees_with_a_plain_fold(new_world):
    run_state_machine_as_test(
        lambda: MemorySurgery(new_world),  # type: ignore[arg-type] # any factory will do
        settings=settings(
            max_examples=at_scale(6, 100),
            stateful_step_count=25,
            suppress_health_check=list(HealthCheck),
        ),
    )
