"""Counting tokens as OpenAI's o200k_base does, offline: the vocabulary is in the package."""

from collections.abc import Sequence

ENCODING = "o200k_base"


def count(texts: Sequence[str]) -> list[int]:
    """How many tokens each text is. Special-token strings such as `<|endoftext|>` count as the plain text they are."""
    # Here, not at the top: the vocabulary (8 MB, about half a second) is loaded by the process that counts.
    import toktok

    # One thread: a pool of them would not survive a fork, and 65,000 tokens take some milliseconds.
    counts: list[int] = toktok.batch_count(texts, ENCODING, threads=1)
    return counts
