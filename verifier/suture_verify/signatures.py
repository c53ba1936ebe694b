"""Ed25519 signatures (RFC 8032), checked in batches on threads: `cryptography` releases the GIL while it verifies."""

import os
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Generic, NamedTuple, TypeVar

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

SIGNATURE_SIZE = 64
KEY_SIZE = 32

#: Entries in a batch: enough to make the cost of passing it to a thread negligible.
_BATCH = 256
#: Batches in progress per thread, which limits the memory in use.
_BATCHES_AHEAD = 4

Subject = TypeVar("Subject")


class Claim(NamedTuple, Generic[Subject]):
    """The claim that a key signed a message. `subject` identifies it for the caller."""

    subject: Subject
    message: bytes
    signature: bytes
    public_key: bytes


def is_signed(message: bytes, signature: bytes, public_key: bytes) -> bool:
    """Return whether the key signed the message. False also for a signature or key of the wrong length."""
    if len(signature) != SIGNATURE_SIZE or len(public_key) != KEY_SIZE:
        return False
    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(signature, message)
    except InvalidSignature:
        return False
    return True


class SignatureChecks(Generic[Subject]):
    """Checks claims on threads, with results in the order of the claims.

    `settle` is called with each claim and its result, in the thread that calls `add` and `finish`. The time of the call
    depends only on the number of claims, not on the speed of the threads.
    """

    def __init__(self, settle: Callable[[Claim[Subject], bool], None]) -> None:
        self._settle = settle
        threads = os.cpu_count() or 1
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="signatures")
        self._most = threads * _BATCHES_AHEAD
        self._batch: list[Claim[Subject]] = []
        self._in_progress: deque[tuple[list[Claim[Subject]], Future[list[bool]]]] = deque()

    def add(self, claim: Claim[Subject]) -> None:
        """Check a claim. Waits for the oldest ones if too many are in progress."""
        self._batch.append(claim)
        if len(self._batch) >= _BATCH:
            self._submit()
            if len(self._in_progress) >= self._most:
                self._settle_oldest()

    def finish(self) -> None:
        """Wait for all claims, and stop the threads."""
        if self._batch:
            self._submit()
        while self._in_progress:
            self._settle_oldest()
        self.close()

    def close(self) -> None:
        """Stop the threads, and drop claims that are still in progress."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _submit(self) -> None:
        batch, self._batch = self._batch, []
        self._in_progress.append((batch, self._pool.submit(_check, batch)))

    def _settle_oldest(self) -> None:
        batch, answers = self._in_progress.popleft()
        for claim, holds in zip(batch, answers.result(), strict=True):
            self._settle(claim, holds)


def _check(claims: list[Claim[Subject]]) -> list[bool]:
    return [is_signed(claim.message, claim.signature, claim.public_key) for claim in claims]
