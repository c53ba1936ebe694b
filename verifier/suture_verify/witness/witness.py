"""A witness cosigns a tree head of a log only if it extends the last one that it cosigned."""

import threading
import time
from collections.abc import Callable, Sequence

from suture_verify.cosignatures import VerifierKey, cosign
from suture_verify.notes import NoteSignature, SignedNote
from suture_verify.witness.store import Store
from suture_verify.witnessing import Request, require_consistent, require_signed

ORIGINS = "suture/"


class Witness:
    """One witness with its key and its store, for logs that are signed by certain keys."""

    def __init__(
        self, store: Store, name: str, log_keys: Sequence[bytes], now: Callable[[], float] = time.time
    ) -> None:
        """`log_keys` are the public keys of servers whose tree heads it cosigns. Raises store.Unusable."""
        self._store, self._name, self._log_keys, self._now = store, name, tuple(log_keys), now
        self._key = store.key()
        # Only one request at a time may compare and replace the last note.
        self._turn = threading.Lock()

    @property
    def verifier_key(self) -> VerifierKey:
        """The key by which others verify its cosignatures."""
        return VerifierKey(self._name, self._key.public_key().public_bytes_raw())

    def add(self, request: Request) -> NoteSignature:
        """Cosign the request's note, write it to disk, and return the cosignature.

        Raises witnessing.Refusal, store.Unusable, OSError.
        """
        require_signed(request, self._log_keys, ORIGINS)
        with self._turn:
            seen = self._store.last(request.note.tree_head.origin)
            require_consistent(request, seen.tree_head if seen else None)
            made = cosign(request.note.tree_head, self._key, self._name, int(self._now()))
            own = [line for line in request.note.signatures if line.name != self._name]
            self._store.keep(SignedNote(request.note.tree_head, (*own, made)))
        return made
