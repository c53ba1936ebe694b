"""Short ways to write items, questions and scores."""

from datetime import UTC, datetime

from memory.spaces.protocol import Item

NOW = datetime(2026, 3, 18, 12, tzinfo=UTC)  # a Wednesday


def item(text="The kiln is warm.", **about):
    return Item(**{"text": text, "ts": NOW, **about})


def items(*texts):
    return [item(text) for text in texts]


def scores(space, question, *compared):
    """How near each of the compared items (or texts) is to the question (or its text)."""
    asked = space.embed_query(item(question) if isinstance(question, str) else question)
    assert asked is not None
    return space.score(asked, space.embed([item(one) if isinstance(one, str) else one for one in compared]))


def likeness(space, first, second):
    """How near two items (or texts) are to each other, both embedded as items."""
    values = space.embed([item(one) if isinstance(one, str) else one for one in (first, second)])
    return space.score(values[0], [values[1]])[0]
