"""Counting tokens: offline, and as o200k_base counts."""

import multiprocessing
import socket

import pytest

from governance import tokens
from memory.context import fences

pytestmark = pytest.mark.pure


def test_it_counts():
    assert tokens.count(["hello world", "", "tiktoken is great!"]) == [2, 0, 6]


def test_a_special_token_is_the_plain_text_that_it_is():
    assert tokens.count(["<|endoftext|>"])[0] > 1


def test_no_texts_count_nothing():
    assert tokens.count([]) == []


def test_three_digits_are_one_token_whichever_they_are():
    """What the nonce and the references rely on."""
    assert set(tokens.count([f"{number:03}" for number in range(1000)])) == {1}
    blank = tokens.count([fences.preamble(fences.BLANK_NONCE)])
    assert blank == tokens.count([fences.preamble("982451653019")])


def _count_in_a_fork(queue):
    queue.put(tokens.count(["hello world"]))


def test_a_forked_process_counts_too():
    """A web server forks its workers, perhaps after the first count."""
    tokens.count(["hello"])
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    process = context.Process(target=_count_in_a_fork, args=(queue,))
    process.start()
    assert queue.get(timeout=60) == [2]
    process.join(60)
    assert process.exitcode == 0


def test_nothing_is_fetched_from_a_network(monkeypatch):
    def refuse(*args, **kwargs):
        pytest.fail("a connection was opened")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    assert tokens.count(["something that was not counted before"])[0] > 0
