"""Whatever is recorded, edited, forgotten, replaced and reverted, in any order: no answer says a value that is kept
out, and every other word is there."""

import random

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test

from memory.db import effective_drift
from tests.factories import SummaryFactory
from tests.scale import at_scale

from .model import (
    VALUES,
    Amended,
    Guard,
    Memory,
    Model,
    Piece,
    Place,
    Text,
    new_text,
    says,
    strings_in,
    written,
    written_value,
)
from .read_paths import Made, answers

SEEDS = st.integers(0, 2**32)
SESSIONS = st.sampled_from(["session-1", "session-2"])
LENGTHS = st.integers(1, 5)
WHO = st.sampled_from(["alice", "alice", "bob"])
REACHES = st.sampled_from(
    [
        {},
        {},
        {"session_id": "session-1"},
        {"recorder": "alice"},
        {"channel": "team"},
        {"subject_type": "user", "subject_id": "jack"},
    ]
)


class Values(RuleBasedStateMachine):
    """The product beside the model: each rule does one thing to both."""

    def __init__(self, new_world):
        super().__init__()
        self.new_world = new_world
        self.model = Model()
        self.made = Made()
        self.markers = []
        self.waiting = []
        self.edits = {}  # applied edits of chunks, by id
        self.asked = []  # the values that were to be forgotten or replaced
        self.capsules = []
        self.blocks = {}  # the newest version, by label

    @initialize()
    def begin(self):
        self.world = self.new_world("standard")
        self.api = {"alice": self.world.alice, "bob": self.world.bob}
        self.names = {"alice": "alice", "bob": self.world.bob_name}

    # -- texts

    def marker(self):
        self.markers.append(f"m{len(self.markers)}x")
        return self.markers[-1]

    def text(self, length, rng, *, is_marked=True) -> Text:
        return new_text(self.marker() if is_marked else "", length, rng)

    def remember(self, kind, answer, place, texts, **ids):
        """Put what was recorded into the model, as it is stored."""
        chunk = ids.get("chunk_id") or answer["chunk_ids"][0]
        stored = {name: self.model.as_recorded(text, place) for name, text in texts.items()}
        memory = Memory(kind, chunk, answer.get("event_id"), place, self.model.tick(), stored)
        memory.is_quarantined = self.model.says_replaced(stored.values(), place)
        said = answer.get("quarantined_chunk_ids", [chunk] if answer.get("quarantines") else [])
        assert bool(said) == memory.is_quarantined, (written(stored["text"]), answer)
        self.model.memories.append(memory)
        self.made.chunks.append(chunk)
        if memory.event_id:
            self.made.events.append(memory.event_id)
        return memory

    # -- recording

    @rule(
        seed=SEEDS,
        by=WHO,
        length=LENGTHS,
        session=SESSIONS,
        channel=st.sampled_from(["private", "private", "team"]),
        subject=st.sampled_from([None, "jack"]),
        is_marked=st.sampled_from([True, True, True, False]),
        count=st.sampled_from([1, 1, 3]),
    )
    def record_messages(self, seed, by, length, session, channel, subject, is_marked, count):
        rng = random.Random(seed)
        place = Place(self.names[by], session, channel, subject)
        scope = {"subject_type": "user", "subject_id": subject} if subject else {}
        texts = [self.text(length, rng, is_marked=is_marked) for _ in range(count)]
        bodies = [
            self.world.draft(
                written(text),
                session_id=session,
                channel=channel,
                content=scope,
                actor_type="agent" if by == "alice" else "human",
            )
            for text in texts
        ]
        recorded = self.api[by].ok("post", "events/batch", {"events": bodies})["events"]
        for text, answer in zip(texts, recorded, strict=True):
            self.remember("message", answer, place, {"text": text})

    @rule(seed=SEEDS, by=WHO, length=LENGTHS)
    def record_decision(self, seed, by, length):
        rng = random.Random(seed)
        texts = {name: self.text(length, rng) for name in ("text", "decision", "rationale")}
        content = {
            "text": written(texts["text"]),
            "decision": written(texts["decision"]),
            "rationale": [written(texts["rationale"])],
        }
        body = self.world.draft("", kind="decision", actor_type="agent" if by == "alice" else "human", content=content)
        answer = self.api[by].ok("post", "events", body)
        self.remember("decision", answer, Place(self.names[by], "session-1"), texts)

    @rule(seed=SEEDS, length=LENGTHS)
    def record_task(self, seed, length):
        rng = random.Random(seed)
        texts = {name: self.text(length, rng) for name in ("text", "title")}
        content = {"text": written(texts["text"]), "title": written(texts["title"]), "status": "open"}
        answer = self.world.alice.ok("post", "events", self.world.draft("", kind="task_update", content=content))
        self.remember("task", answer, Place("alice", "session-1"), texts)

    @rule(seed=SEEDS, length=LENGTHS)
    def record_summary(self, seed, length):
        text = self.text(length, random.Random(seed))
        body = SummaryFactory(text=written(text), subject_id="jack", session_id="session-2")
        answer = self.world.alice.ok("post", "chunks/summary", body)
        place = Place("alice", "session-2", "private", "jack")
        self.remember("summary", answer, place, {"text": text}, chunk_id=answer["chunk_id"])

    @rule(seed=SEEDS, length=LENGTHS)
    def commit(self, seed, length):
        text = self.text(length, random.Random(seed))
        answer = self.world.alice.ok(
            "post", "tools/memory_commit", {"content": written(text), "session_id": "session-1"}
        )
        self.remember("commit", answer, Place("alice", "session-1"), {"text": text}, chunk_id=answer["chunk_id"])
        self.made.memories.append(answer["seq"])

    @rule(seed=SEEDS, length=LENGTHS, label=st.sampled_from(["goals", "knowledge"]))
    def update_block(self, seed, length, label):
        text = self.text(length, random.Random(seed))
        answer = self.world.alice.ok("post", "tools/block_update", {"label": label, "content": written(text)})
        made = self.remember("block", answer, Place("alice", ""), {"text": text}, chunk_id=answer["chunk_id"])
        if label in self.blocks:
            self.blocks[label].is_superseded = True
        self.blocks[label] = made
        self.made.memories.append(answer["seq"])
        self.made.blocks.add(label)

    @precondition(lambda self: self.model.memories)
    @rule(seed=SEEDS, length=LENGTHS)
    def hand_over(self, seed, length):
        rng = random.Random(seed)
        chunks = [one.id for one in self.editable() if self.model.is_shown(one)][-3:]
        if not chunks:
            return
        place = Place("alice", "", "", "jack")
        note, risk = (self.model.as_recorded(self.text(length, rng), place) for _ in range(2))
        body = {
            "scope": "user",
            "subject_type": "user",
            "subject_id": "jack",
            "audience_agent_ids": ["alice"],
            "items": {"chunks": chunks},
            "note": written(note),
            "risks": [written(risk)],
        }
        capsule = self.world.alice.ok("post", "capsules", body)["capsule_id"]
        memory = Memory("capsule", capsule, None, place, self.model.tick(), {"text": note, "risk": risk})
        self.capsules.append(memory)
        self.made.capsules.append(capsule)

    @rule(seed=SEEDS, length=LENGTHS)
    def save_checkpoint(self, seed, length):
        text = self.text(length, random.Random(seed))
        state = {"working_memory": {"plan": written(text)}, "turn": len(self.made.checkpoints)}
        answer = self.world.alice.ok("post", "sessions/run-1/checkpoints", state)
        self.made.checkpoints.append(answer["id"])

    @rule()
    def build_bundle(self):
        asked = {"session_id": "session-1", "channel": "private"}
        self.made.bundles.append(self.world.alice.ok("post", "acb/build", asked)["acb"]["acb_id"])

    # -- editing memories

    def editable(self):
        return [one for one in self.model.memories if one.kind in ("message", "commit", "summary")]

    @precondition(lambda self: self.editable())
    @rule(seed=SEEDS, pick=SEEDS, length=LENGTHS)
    def amend(self, seed, pick, length):
        memory = self.editable()[pick % len(self.editable())]
        text = self.text(length, random.Random(seed))
        edit = self.world.edit(memory.id, "amend", text=written(text))["edit_id"]
        memory.amends.append(Amended(edit, self.model.as_recorded(text, memory.place)))
        self.edits[edit] = memory
        self.made.edits.append(edit)

    @precondition(lambda self: self.editable())
    @rule(pick=SEEDS)
    def retract(self, pick):
        memory = self.editable()[pick % len(self.editable())]
        if not any(marker in written(memory.texts["text"]) for marker in self.markers):
            return  # what says nothing else would be a removed value of its own
        edit = self.world.edit(memory.id, "retract")["edit_id"]
        memory.retracts.append(edit)
        self.edits[edit] = memory
        self.made.edits.append(edit)

    @precondition(lambda self: self.edits)
    @rule(pick=SEEDS)
    def revert_edit(self, pick):
        edit = list(self.edits)[pick % len(self.edits)]
        memory = self.edits.pop(edit)
        self.made.edits.append(self.world.bob.ok("post", f"edits/{edit}/revert", {"reason": "a test"})["edit_id"])
        memory.amends = [one for one in memory.amends if one.edit_id != edit]
        memory.retracts = [one for one in memory.retracts if one != edit]

    # -- values

    @precondition(lambda self: self.model.memories)
    @rule(
        seed=SEEDS,
        by=WHO,
        value=st.sampled_from(VALUES),
        which=st.sampled_from(["said", "said", "again", "any"]),
        reach=REACHES,
        to=st.sampled_from([None, None, "lotus", "river", "orchid 7"]),
    )
    def forget_or_replace(self, seed, by, value, which, reach, to):
        rng = random.Random(seed)
        known = [one for one in VALUES if self.model.said(one, reach)] if which == "said" else self.asked
        if which != "any" and known:
            value = rng.choice(known)
        self.asked.append(value)
        said = written(written_value(value, rng))
        instead: Text | None = None
        if to == "lotus":
            instead = (Piece(f"lotus-{self.model.clock}", ("lotus", str(self.model.clock))),)
        elif to is not None:
            instead = written_value(to, rng)
        if instead is not None and says(written(instead), value):
            return
        op = {"op": "forget"} if instead is None else {"op": "replace", "to": written(instead)}
        response = self.api[by].post("values/preview", {"value": said, "reason": "a test", "reach": reach, **op})
        if response.status_code == 400:
            assert response.json()["type"].endswith("nothing-says-it"), response.content
            assert by == "alice" or not self.model.said(value, reach)
            return
        assert response.status_code == 200, response.content
        preview = response.json()
        body = {"token": preview["token"], "confirm": bool(preview["confirm_because"])}
        response = self.api[by].post("values", body)
        if response.status_code == 409:
            assert response.json()["type"].endswith("replacement-is-guarded"), response.content
            assert any(says(op["to"], one.value) for one in self.model.guards.values())
            return
        assert response.status_code == 201, response.content
        done = response.json()
        self.made.edits.append(done["edit_id"])
        guard = Guard(done["edit_id"], value, preview["reach"], instead, 0)
        if done["status"] == "approved":
            self.apply(guard)
        else:
            assert by == "alice"
            self.waiting.append(guard)

    def apply(self, guard):
        guard.since = self.model.tick()
        self.model.guards[guard.edit_id] = guard

    @precondition(lambda self: self.waiting)
    @rule()
    def approve(self):
        guard = self.waiting.pop(0)
        response = self.world.bob.post(f"edits/{guard.edit_id}/approve", {})
        if response.status_code == 409:  # its new words say what was forgotten meanwhile
            assert "guarded" in response.json()["type"], response.content
            return
        assert response.status_code == 200, response.content
        self.apply(guard)

    @precondition(lambda self: self.model.guards)
    @rule(pick=SEEDS)
    def allow_again(self, pick):
        edit = list(self.model.guards)[pick % len(self.model.guards)]
        self.world.bob.ok("post", f"edits/{edit}/revert", {"reason": "It was right"})
        del self.model.guards[edit]

    # -- reading

    def check(self):
        self.check_texts()
        self.check_paths()

    def check_texts(self):
        expected = {
            one.id: written(self.model.effective(one))
            for one in self.model.memories
            if one.kind not in ("decision", "task") and self.model.is_shown(one)
        }
        if not self.made.chunks:
            return
        others = {one.id for one in self.model.memories if one.kind in ("decision", "task")}
        found = self.world.alice.ok("post", "chunks/get", {"chunk_ids": self.made.chunks})["chunks"]
        assert {one["chunk_id"]: one["text"] for one in found if one["chunk_id"] not in others} == expected
        decided = {
            (written(self.model.effective(one, "decision")), written(self.model.effective(one, "rationale")))
            for one in self.model.memories
            if one.kind == "decision" and not one.is_quarantined
        }
        decisions = self.world.alice.ok("get", "decisions/active")["decisions"]
        assert {(one["decision"], *one["rationale"]) for one in decisions} == decided
        titles = {
            written(self.model.effective(one, "title"))
            for one in self.model.memories
            if one.kind == "task" and not one.is_quarantined
        }
        assert {one["title"] for one in self.world.alice.ok("get", "tasks")["results"]} == titles
        for capsule in self.capsules:
            opened = self.world.alice.ok("get", f"capsules/{capsule.id}")
            assert opened["note"] == written(self.model.effective(capsule))
            assert opened["risks"] == [written(self.model.effective(capsule, "risk"))]

    def check_paths(self):
        self.made.query = " OR ".join([*self.markers[-60:], "lotus"])
        gone = self.model.gone()
        for name, answer in answers(self.world, self.made):
            for one in strings_in(answer):
                assert not [value for value in gone if says(one, value)], (name, one, gone)

    def teardown(self):
        if hasattr(self, "world"):
            self.check()
            with self.world.inside("owner"):
                assert effective_drift.on("owner")(tenant=self.world.tenant_id) == []


def act(state: Values, rng: random.Random) -> None:
    """One step of a short program, which forgets more often than those of hypothesis."""
    seed, length, by = rng.randrange(2**32), rng.randint(1, 5), rng.choice(["alice", "alice", "bob"])
    reach = rng.choice([{}, {}, {"session_id": "session-1"}, {"recorder": "alice"}])
    to = rng.choice([None, None, "lotus", "river"])
    actions = {
        "record_messages": lambda: state.record_messages(seed, by, length, "session-1", "private", "jack", True, 2),
        "record_decision": lambda: state.record_decision(seed, by, length),
        "record_task": lambda: state.record_task(seed, length),
        "commit": lambda: state.commit(seed, length),
        "update_block": lambda: state.update_block(seed, length, "goals"),
        "hand_over": lambda: state.hand_over(seed, length),
        "build_bundle": state.build_bundle,
        "amend": lambda: state.amend(seed, seed, length) if state.editable() else None,
        "forget": lambda: state.forget_or_replace(seed, "bob", "rose", "said", reach, to),
        "forget_own": lambda: state.forget_or_replace(seed, "alice", "rose", "said", reach, None),
        "approve": lambda: state.approve() if state.waiting else None,
        "allow_again": lambda: state.allow_again(seed) if state.model.guards else None,
    }
    actions[rng.choice([*actions, "record_messages", "record_messages", *["forget"] * 4])]()


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])
def test_short_programs_leave_no_value_and_all_other_words(new_world, seed):
    state, rng = Values(new_world), random.Random(seed)
    state.begin()
    state.record_messages(seed, "alice", 5, "session-1", "private", "jack", True, 3)
    for _ in range(14):
        act(state, rng)
        state.check_texts()
    assert state.model.guards
    state.teardown()


@pytest.mark.slow
@pytest.mark.scaled
@pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])
def test_long_programs_leave_no_value_and_all_other_words(new_world):
    class InNewWorlds(Values):
        def __init__(self):
            super().__init__(new_world)

    run_state_machine_as_test(
        InNewWorlds,
        settings=settings(
            max_examples=at_scale(10, 150), stateful_step_count=25, suppress_health_check=list(HealthCheck)
        ),
    )
