"""Any service with OpenAI's protocol for embeddings."""

import logging
import random
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import httpx
import numpy as np

from memory.embedding.protocol import ProviderFailed, TextRefused, Vector, Vectors, checked

logger = logging.getLogger("suture.embedding")

#: Attempts for a batch if the service is busy or down; a question gets one.
TRIES = 4
#: Maximum seconds between two attempts, whatever Retry-After says.
MAX_WAIT = 20.0
#: Maximum seconds to wait for the vector of a question; then the search continues without it.
QUERY_SECONDS = 3.0
#: The most words in one request, so that it takes about as long for long texts as for short ones.
MAX_WORDS = 6_000
#: Temporary errors: rate limits, and a service that is starting, overloaded or down.
_PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
#: The request is at fault: probably one of its texts.
_OF_THE_TEXT = frozenset({400, 413, 422})


class _TooSlow(Exception):  # noqa: N818 (an outcome)
    """The service did not answer in time for several texts, and may for fewer."""


class OpenAICompatible:
    """`POST {url}/embeddings`, with a timeout for each request. Retries temporary errors after the time in
    Retry-After."""

    def __init__(
        self,
        *,
        url: str,
        key: str,
        name: str,
        dimensions: int,
        batch_size: int = 64,
        seconds: float = 30.0,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        self._name = name
        self.dimensions = dimensions
        self.batch_size = batch_size
        self._seconds = seconds
        self._wait = wait
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._client = httpx.Client(base_url=url.rstrip("/"), headers=headers, timeout=seconds, follow_redirects=False)

    @property
    def model(self) -> str:
        """The name of the service's model with its dimensions: shortened vectors are not comparable."""
        return f"openai/{self._name}/{self.dimensions}"

    def embed(self, texts: Sequence[str]) -> Vectors:
        """The vectors of the texts, asked for in requests of at most MAX_WORDS words. Half of a request that timed out
        is asked for at a time. Raises ProviderFailed after TRIES attempts, and TextRefused if the service refuses the
        texts."""
        return np.concatenate([self._embed(batch) for batch in _batches(texts)])

    def _embed(self, texts: Sequence[str]) -> Vectors:
        try:
            return self._ask(texts, tries=TRIES, seconds=self._seconds)
        except _TooSlow:
            half = len(texts) // 2
            logger.warning("%d texts took longer than %g s: asking for half of them", len(texts), self._seconds)
            return np.concatenate([self._embed(texts[:half]), self._embed(texts[half:])])

    def embed_query(self, text: str) -> Vector:
        """The vector of a question, within QUERY_SECONDS and one attempt. Raises ProviderFailed and TextRefused."""
        vector: Vector = self._ask([text], tries=1, seconds=min(QUERY_SECONDS, self._seconds))[0]
        return vector

    def close(self) -> None:
        """Close the connections to the service."""
        self._client.close()

    def _ask(self, texts: Sequence[str], *, tries: int, seconds: float) -> Vectors:
        body: dict[str, Any] = {"model": self._name, "input": list(texts), "encoding_format": "float"}
        if self._name.startswith("text-embedding-3"):
            body["dimensions"] = self.dimensions  # other models refuse the field
        for attempt in range(1, tries + 1):
            wait = min(MAX_WAIT, 0.5 * 2**attempt) * random.uniform(0.5, 1)  # noqa: S311 (no secret)
            try:
                response = self._client.post("/embeddings", json=body, timeout=seconds)
            except httpx.TimeoutException as error:
                if len(texts) > 1 and isinstance(error, httpx.ReadTimeout):
                    raise _TooSlow from None
                reason = f"The embedding service did not answer within {seconds:g} s."
            except httpx.HTTPError as error:
                reason = f"The embedding service cannot be reached ({type(error).__name__})."
            else:
                if response.status_code == httpx.codes.OK:
                    return self._read(response, len(texts))
                reason = _refusal(response)
                wait = _asked_wait(response) or wait
            if attempt < tries:
                logger.warning("attempt %d of %d: %s", attempt, tries, reason)
                self._wait(wait)
        raise ProviderFailed(reason)

    def _read(self, response: httpx.Response, count: int) -> Vectors:
        try:
            items = response.json()["data"]
            rows = {item["index"]: item["embedding"] for item in items}
            answer = [rows[number] for number in range(count)]
        except (ValueError, KeyError, TypeError, AttributeError):
            raise ProviderFailed(
                f"The embedding service did not return one vector for each of {count} texts."
            ) from None
        return checked(answer, count=count, dimensions=self.dimensions)


def _batches(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    """Split the texts into batches of at most MAX_WORDS words, or of one longer text."""
    first = words = 0
    for place, text in enumerate(texts):
        more = len(text.split())
        if place > first and words + more > MAX_WORDS:
            yield texts[first:place]
            first, words = place, 0
        words += more
    yield texts[first:]


def _refusal(response: httpx.Response) -> str:
    """The reason of a temporary failure. Raises TextRefused or ProviderFailed for a permanent one."""
    status = response.status_code
    if status in _PASSING:
        return f"The embedding service answered {status}" + (", its rate limit." if status == 429 else ".")
    if status in _OF_THE_TEXT:
        raise TextRefused(f"The embedding service refused the text (status {status}).")
    if status in (httpx.codes.UNAUTHORIZED, httpx.codes.FORBIDDEN):
        raise ProviderFailed(f"The embedding service refused the key (status {status}): see EMBEDDING_KEY.")
    raise ProviderFailed(f"The embedding service answered {status}: see EMBEDDING_URL and EMBEDDING_MODEL.")


def _asked_wait(response: httpx.Response) -> float | None:
    """The seconds in Retry-After, if it has seconds."""
    try:
        return min(max(float(response.headers["Retry-After"]), 0.0), MAX_WAIT)
    except (KeyError, ValueError):
        return None
