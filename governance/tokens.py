"""Counting tokens with OpenAI's o200k_base, offline: a package has the vocabulary."""

from collections.abc import Sequence

ENCODING = "o200k_base"


def count(texts: Sequence[str]) -> list[int]:
    """How many tokens each text has. Special-token strings such as `<|endoftext|>` count as the plain text they are."""
    # Imported here, so that only a process that counts loads the vocabulary (8 MB, about half a second).
    import toktok

    # One thread: a thread pool would not survive a fork, and 65,000 tokens take only some milliseconds.
    counts: list[int] = toktok.batch_count(texts, ENCODING, threads=1)
    return counts


def load() -> None:
    """Load the vocabulary."""
    count(["Ready."])
