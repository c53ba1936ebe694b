"""The meaning of a question, as a vector to compare memory with; without one, memory is ranked by words alone."""

from dataclasses import dataclass

from pgvector import HalfVector

from memory.embedding.queries import QueryNotEmbedded, embed_query

#: So many characters of a text are compared by meaning: what a model reads of it at most.
COMPARED_CHARACTERS = 1_000


@dataclass(frozen=True, slots=True)
class Meaning:
    """The vector of a question and its model; both None where there is nothing to compare. `failure` says why
    the provider of vectors failed, if it did."""

    vector: HalfVector | None = None
    model: str | None = None
    failure: str | None = None


def meaning_of(text: str) -> Meaning:
    """The meaning of a question, in the tenant of the open transaction."""
    try:
        found = embed_query(text[:COMPARED_CHARACTERS])
    except QueryNotEmbedded as failure:
        return Meaning(failure=str(failure))
    return Meaning() if found is None else Meaning(found.vector, found.model)
