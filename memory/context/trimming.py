"""Trimming a memory that is larger than one item of a section may be. Uses no database."""

from dataclasses import replace

from governance import tokens
from memory.context import fences
from memory.context.sections import Candidate, Trimmed

#: How often to cut again if the lines of a text take more tokens than its length says.
TRIES = 8


def trimmed(candidate: Candidate, room: int, cost: int) -> tuple[Candidate, int] | None:
    """The beginning of a candidate whose block has `cost` tokens, with a mark, and the tokens of its block: at most
    `room`. None if not a word fits."""
    text = candidate.text
    length = len(text) * room // cost
    for _ in range(TRIES):
        kept = text[:length].rstrip()
        if not kept:
            return None
        kept_tokens, all_tokens = tokens.count([kept, text])
        shorter = replace(
            candidate,
            text=kept,
            item={
                **candidate.item,
                **{name: [] if isinstance(candidate.item[name], list) else None for name in candidate.further_words},
                candidate.words: kept,
                "trimmed": {"tokens": kept_tokens, "of_tokens": all_tokens},
            },
            trimmed=Trimmed(kept_tokens, all_tokens),
        )
        (used,) = tokens.count([fences.block(shorter, fences.reference(0))])
        if used <= room:
            return shorter, used
        length = min(length * 9 // 10, length * room // used)
    return None
