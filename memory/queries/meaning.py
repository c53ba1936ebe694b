"""The vector of a question, to compare memory with; without one, memory is ranked by words only."""

from dataclasses import dataclass

from pgvector import HalfVector

from memory.embedding.queries import QueryNotEmbedded, embed_query

#: Characters of a text to compare by meaning: the maximum that a model reads.
COMPARED_CHARACTERS = 1_000


@dataclass(frozen=True, slots=True)
class Meaning:
    """The vector of a question and its model; both None if there is nothing to compare. `failure` is the reason if the
    provider failed."""

    vector: HalfVector | None = None
    model: str | None = None
    failure: str | None = None


def meaning_of(text: str) -> Meaning:
    """The meaning of a question, for the tenant of the open transaction."""
    try:
        found = embed_query(text[:COMPARED_CHARACTERS])
    except QueryNotEmbedded as failure:
        return Meaning(failure=str(failure))
    return Meaning() if found is None else Meaning(found.vector, found.model)
