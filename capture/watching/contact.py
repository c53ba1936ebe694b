"""Whether the server answers, and when one that is away is asked again."""

import random
import time

from capture.watching.sending import Unauthorized, Unavailable

#: Seconds until a server that is away is asked again: the first time, and at most.
AWAY, LONGEST_AWAY = 1.0, 60.0
#: How often `--once` asks a server that is away.
TRIES = 3


class Contact:
    """What is known of the server: it `has_answered` at some time, and it `is_away` now."""

    def __init__(self, tries: int | None = None) -> None:
        """Give up after so many tries in a row (None: never)."""
        self.has_answered = False
        self.is_away = False
        self._tries = tries
        self._tried = 0
        self._ask_at = 0.0

    def may_ask(self) -> bool:
        """Whether the time has come to ask what it has."""
        return time.monotonic() >= self._ask_at

    def resume(self) -> None:
        """Note that it answers again."""
        self.is_away = False
        self._tried = 0

    def lose(self, error: Unavailable | Unauthorized, *, asked: bool) -> bool:
        """Note that it did not answer: it is asked again later, longer each time. Returns whether this is news, and
        not one of several requests that were under way; `asked` says that it was a question whether it is back.

        Raises `error` after too many tries, and where a server that has never answered refuses.
        """
        if isinstance(error, Unauthorized) and not self.has_answered:
            raise error
        if self.is_away and not asked:
            return False
        self.is_away = True
        self._tried += 1
        if self._tries is not None and self._tried >= self._tries:
            raise error
        # spread, so that many watchers do not ask at the same moment
        seconds = min(LONGEST_AWAY, AWAY * 2 ** (self._tried - 1)) * random.uniform(0.8, 1.2)  # noqa: S311 (no secret)
        if isinstance(error, Unavailable) and error.seconds is not None:
            seconds = max(seconds, min(error.seconds, LONGEST_AWAY))
        self._ask_at = time.monotonic() + seconds
        return True
