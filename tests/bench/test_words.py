"""Generated text has the lengths and the frequencies of words that bench/words.py says."""

import statistics
from collections import Counter

import pytest

from bench.words import FUNCTION_WORDS, LEAST_WORDS, MOST_WORDS, VOCABULARY, Texts, vocabulary

pytestmark = pytest.mark.pure


def some(seed: int | str, number: int = 5_000) -> list[list[str]]:
    texts = Texts(seed)
    return [texts.next() for _ in range(number)]


def test_a_seed_gives_the_same_texts_and_another_one_others() -> None:
    assert some("a", 600) == some("a", 600)
    assert some("a", 5) != some("b", 5)


def test_lengths_are_log_normal_within_one_chunk() -> None:
    lengths = sorted(len(words) for words in some(1))
    assert (lengths[0], lengths[-1]) == (LEAST_WORDS, MOST_WORDS)
    assert 28 <= statistics.median(lengths) <= 32
    assert 40 <= statistics.mean(lengths) <= 48
    assert 115 <= lengths[int(0.95 * len(lengths))] <= 150


def test_words_have_the_frequencies_of_their_ranks() -> None:
    counted = Counter(word for words in some(2) for word in words)
    of = {word: counted[word] / counted.total() for word in vocabulary()[:1000]}
    first, tenth, hundredth, thousandth = (of[vocabulary()[rank - 1]] for rank in (1, 10, 100, 1000))
    assert 2.5 < first / tenth < 4.5  # (10 + 2.7) / (1 + 2.7)
    assert 6 < tenth / hundredth < 11
    assert 5 < hundredth / thousandth < 20
    assert 0.3 < sum(of[word] for word in FUNCTION_WORDS.split()) < 0.6
    assert len(counted) > 15_000


def test_no_word_is_there_twice() -> None:
    assert len(vocabulary()) == len(set(vocabulary())) == VOCABULARY
