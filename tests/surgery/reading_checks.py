"""Every way of reading the product, held against the model."""

from typing import Any

from .model import READERS, Model, normal


def said_by(one):
    """The words of a shown chunk as search knows them."""
    return {normal(word) for word in one.words}


class ReadingChecks:
    """For a state machine that changes both the product's `world` and its `model`."""

    world: Any
    model: Model
    ever_said: list[list[str]]  # the words of every text that there was
    turn = 0  # which readers come next

    def check(self):
        """Two kinds of readers a step, in turn: all of them every third step, and at the end."""
        for _ in range(2):
            self.turn += 1
            self.check_reader(READERS[self.turn % len(READERS)])

    def check_reader(self, reader):
        asked = {"include_quarantined": reader.quarantined, "channel": reader.channel}
        in_query = f"include_quarantined={str(reader.quarantined).lower()}"
        in_query += f"&channel={reader.channel}" if reader.channel else ""
        self.check_search(reader, asked)
        self.check_get(reader, asked)
        self.check_list(reader, in_query)
        self.check_timeline(reader, in_query)
        self.check_events(reader, in_query)
        self.check_decisions(reader, in_query)

    def assert_shown(self, found, expected):
        """The chunks that were answered, in their order, are the model's."""
        assert [
            (
                chunk["chunk_id"],
                chunk["text"].split(),
                chunk["importance"],
                chunk["is_quarantined"],
                chunk["edits_applied"],
                chunk["event_id"],
                chunk["channel"],
            )
            for chunk in found
        ] == [
            (
                one.id,
                one.words,
                float(one.state.importance),
                one.state.quarantined,
                one.state.edits,
                one.memory.event,
                one.memory.channel,
            )
            for one in expected
        ]

    def check_search(self, reader, asked):
        seen = self.model.chunks(reader, in_channel=True)
        shown = {word for one in seen.values() for word in said_by(one)}
        # one query that every shown chunk answers to ...
        markers = dict.fromkeys(normal(one.words[len(one.words) // 2]) for one in seen.values())
        self.search(markers, asked, seen)
        # ... and one of words that nothing may answer to any more: the first, the middle and the last of each text
        texts = [[words[0], words[len(words) // 2], words[-1]] for words in self.ever_said]
        gone = dict.fromkeys(word for words in texts for word in words if word not in shown)
        self.search(gone, asked, {})

    def search(self, words, asked, expected):
        words = list(words)
        for start in range(0, len(words), 80):
            query = " OR ".join(words[start : start + 80])
            answer = self.world.alice.ok("post", "chunks/search", {"query": query, "limit": 200, **asked})
            among = [one for one in expected.values() if said_by(one) & set(words[start : start + 80])]
            assert answer["total_count"] == len(among)
            found = sorted(answer["chunks"], key=lambda chunk: chunk["chunk_id"])
            self.assert_shown(found, sorted(among, key=lambda one: one.id))

    def check_get(self, reader, asked):
        seen = self.model.chunks(reader, in_channel=False)
        ids = [chunk.id for memory in self.model.memories for chunk in memory.chunks]
        if ids:
            found = self.world.alice.ok("post", "chunks/get", {"chunk_ids": ids, **asked})["chunks"]
            self.assert_shown(found, [seen[chunk] for chunk in ids if chunk in seen])
            assert not any(chunk["is_retracted"] for chunk in found)

    def check_list(self, reader, in_query):
        seen = self.model.chunks(reader, in_channel=True)
        found = self.world.alice.ok("get", f"chunks?limit=200&{in_query}")["results"]
        self.assert_shown(found, sorted(seen.values(), key=lambda one: (one.memory.ts, one.id), reverse=True))

    def check_timeline(self, reader, in_query):
        everything = [(memory, chunk) for memory in self.model.memories for chunk in memory.chunks]
        if not everything:
            return
        _, centre = everything[self.turn % len(everything)]
        response = self.world.alice.get(f"chunks/{centre.id}/timeline?limit=1000&window_seconds=3600&{in_query}")
        by_id = self.model.chunks(reader, in_channel=False)
        if centre.id not in by_id:
            assert response.status_code == 404
            return
        seen = {**self.model.chunks(reader, in_channel=True), centre.id: by_id[centre.id]}
        found = response.json()["chunks"]
        assert found[0]["chunk_id"] == centre.id
        self.assert_shown(
            sorted(found, key=lambda chunk: chunk["chunk_id"]), sorted(seen.values(), key=lambda one: one.id)
        )

    def check_events(self, reader, in_query):
        found = {
            event["event_id"]: event for event in self.world.alice.ok("get", f"events?limit=200&{in_query}")["results"]
        }
        heard = [memory for memory in self.model.memories if memory.channel in reader.listening]
        assert set(found) == {memory.event for memory in heard}
        for memory in heard:
            event = found[memory.event]
            withheld, words = self.model.event_words(memory, reader)
            assert event["withheld"] == withheld
            if withheld:
                assert event["content"] is None
                continue
            said = {name: value for name, value in event["content"].items() if name not in {"scope", "text"}}
            about = {"subject_type": "user", "subject_id": memory.subject} if memory.subject else {}
            assert said == (about if words is not None else {**memory.fields, **about})
            assert event["content"]["text"].split() == (memory.said.split() if words is None else words)

    def check_decisions(self, reader, in_query):
        found = self.world.alice.ok("get", f"decisions/active?limit=1000&{in_query}")["decisions"]
        assert [
            (
                one["decision_id"],
                one["decision"],
                one["rationale"],
                one["importance"],
                one["is_quarantined"],
                one["edits_applied"],
            )
            for one in found
        ] == [
            (
                memory.decision,
                memory.fields["decision"] if state.text is None else state.text,
                memory.fields["rationale"] if state.text is None else [],
                float(state.importance),
                state.quarantined,
                state.edits,
            )
            for memory, state in self.model.decisions_in_force(reader)
        ]
