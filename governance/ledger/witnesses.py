"""Ask witnesses to cosign tree heads (C2SP tlog-witness). Their cosignatures prove that they have seen the same
history.
"""

import logging
import time
from collections.abc import Callable

import httpx
from django.conf import settings
from prometheus_client import Counter

from suture_verify.cosignatures import VerifierKey, cosigned_at
from suture_verify.merkle import consistency_path
from suture_verify.notes import MalformedNote, NoteSignature, SignedNote, parse_signature_lines
from suture_verify.witnessing import Request

logger = logging.getLogger("suture.witnesses")

TIMEOUT_SECONDS = 5.0
#: How long an unavailable witness is skipped.
PAUSE_SECONDS = 30.0
#: A witness answers with its own tree size and gets a proof from there; if others publish meanwhile, it has moved on.
TRIES = 3

FAILURES = Counter(
    "suture_witness_failures",
    "Number of tree heads that a witness did not cosign because it was unavailable or refused.",
    ["witness"],
)
for _, _key in settings.WITNESSES:
    FAILURES.labels(_key.name)  # 0 from the start

#: The hash of the leaves [start, end).
Subtree = Callable[[int, int], bytes]

#: Until when a witness is skipped, by its name.
_paused: dict[str, float] = {}


class WitnessDisagrees(Exception):  # noqa: N818 (an alarm, not an error)
    """A witness has seen another history than the one to publish."""


class _Unavailable(Exception):  # noqa: N818 (passes)
    """The witness did not cosign, for a reason unrelated to the history."""


def cosigned(note: SignedNote, before: SignedNote | None, subtree: Subtree, size_now: Callable[[], int]) -> SignedNote:
    """The note with the cosignatures of all configured witnesses that answer; `before` is the previous note.

    `size_now` returns the number of sealed rows, for a witness that has seen more rows than the note has. Raises
    WitnessDisagrees if a witness refuses the note because it has seen another history.
    """
    lines: list[NoteSignature] = []
    for url, key in settings.WITNESSES:
        if time.monotonic() < _paused.get(key.name, 0.0):
            FAILURES.labels(key.name).inc()
            continue
        old = before.tree_head.size if before and cosigned_at(before, key) is not None else 0
        try:
            lines.append(_ask(url, key, note, old, subtree, size_now))
        except _Unavailable as reason:
            # The witness's address may contain a secret; its name does not.
            logger.warning("the witness %s did not cosign a tree head: %s", key.name, reason)
            FAILURES.labels(key.name).inc()
    return SignedNote(note.tree_head, (*note.signatures, *lines))


def _ask(
    url: str, key: VerifierKey, note: SignedNote, old: int, subtree: Subtree, size_now: Callable[[], int]
) -> NoteSignature:
    size = note.tree_head.size
    for _ in range(TRIES):
        answer = _post(url, key, Request(old, tuple(consistency_path(old, size, subtree)), note))
        if answer.status_code == httpx.codes.OK:
            return _cosignature(answer.text, key, note)
        if answer.status_code == httpx.codes.UNPROCESSABLE_ENTITY:
            raise WitnessDisagrees(f"The witness {key.name} has seen another history: {answer.text.strip()[:200]}")
        if answer.status_code != httpx.codes.CONFLICT:
            raise _Unavailable(f"it answered {answer.status_code}: {answer.text.strip()[:200]}")
        seen = answer.text.removesuffix("\n")
        if not seen.isdecimal() or len(seen) > 19:
            raise _Unavailable("its answer names no size")
        if int(seen) > size:
            if size_now() >= int(seen):
                raise _Unavailable("another process has published more meanwhile")
            raise WitnessDisagrees(f"The witness {key.name} has seen {seen} rows, but the ledger has only {size}.")
        if int(seen) == old:
            raise WitnessDisagrees(f"The first {old} rows that the witness {key.name} has seen are not the ledger's.")
        old = int(seen)
    raise _Unavailable("its tree size changed on every try")


def _post(url: str, key: VerifierKey, request: Request) -> httpx.Response:
    try:
        return httpx.post(
            f"{url.rstrip('/')}/add-checkpoint",
            content=request.text.encode(),
            headers={"Content-Type": "text/plain; charset=utf-8"},
            timeout=TIMEOUT_SECONDS,
        )
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        _paused[key.name] = time.monotonic() + PAUSE_SECONDS
        raise _Unavailable(type(error).__name__) from None


def _cosignature(text: str, key: VerifierKey, note: SignedNote) -> NoteSignature:
    """The witness's own line in its answer; others are not trusted."""
    try:
        lines = parse_signature_lines(text)
    except MalformedNote as error:
        raise _Unavailable(f"its answer cannot be read: {error}") from None
    for line in lines:
        if cosigned_at(SignedNote(note.tree_head, (line,)), key) is not None:
            return line
    raise _Unavailable("its cosignature does not verify with its key")
