"""Ed25519 signatures (RFC 8032), checked in batches on threads: libsodium lets go of the interpreter while it works."""

import os
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Generic, NamedTuple, TypeVar

from nacl.bindings import crypto_sign_open
from nacl.exceptions import CryptoError

SIGNATURE_SIZE = 64
KEY_SIZE = 32

#: Entries a batch: large enough that handing it over costs nothing.
_BATCH = 256
#: Batches under way for each thread. The memory in use is bounded by it.
_BATCHES_AHEAD = 4

Subject = TypeVar("Subject")


class Claim(NamedTuple, Generic[Subject]):
    """That a key signed a message; `subject` is the caller's own name for it."""

    subject: Subject
    message: bytes
    signature: bytes
    public_key: bytes


def is_signed(message: bytes, signature: bytes, public_key: bytes) -> bool:
    """Whether `signature` is the key's over the message. False too for a signature or key of a wrong length."""
    if len(signature) != SIGNATURE_SIZE or len(public_key) != KEY_SIZE:
        return False
    try:
        crypto_sign_open(signature + message, public_key)
    except CryptoError:
        return False
    return True


class SignatureChecks(Generic[Subject]):
    """Claims on their way through the threads; the answers come in the order of the claims.

    `settle` is called with each claim and whether it holds, in the thread that adds and finishes. When it is called
    depends on the number of claims alone, never on how fast the threads are.
    """

    def __init__(self, settle: Callable[[Claim[Subject], bool], None]) -> None:
        self._settle = settle
        threads = os.cpu_count() or 1
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="signatures")
        self._most = threads * _BATCHES_AHEAD
        self._batch: list[Claim[Subject]] = []
        self._under_way: deque[tuple[list[Claim[Subject]], Future[list[bool]]]] = deque()

    def add(self, claim: Claim[Subject]) -> None:
        """Have a claim checked; waits for the oldest ones when too many are under way."""
        self._batch.append(claim)
        if len(self._batch) >= _BATCH:
            self._hand_over()
            if len(self._under_way) >= self._most:
                self._settle_oldest()

    def finish(self) -> None:
        """Wait for everything, and end the threads."""
        if self._batch:
            self._hand_over()
        while self._under_way:
            self._settle_oldest()
        self.close()

    def close(self) -> None:
        """End the threads; claims that are still under way are given up."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _hand_over(self) -> None:
        batch, self._batch = self._batch, []
        self._under_way.append((batch, self._pool.submit(_check, batch)))

    def _settle_oldest(self) -> None:
        batch, answers = self._under_way.popleft()
        for claim, holds in zip(batch, answers.result(), strict=True):
            self._settle(claim, holds)


def _check(claims: list[Claim[Subject]]) -> list[bool]:
    return [is_signed(claim.message, claim.signature, claim.public_key) for claim in claims]
