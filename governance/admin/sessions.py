"""Admin sessions end after being idle (Django's cookie age), and at the latest after SESSION_LASTS_AT_MOST."""

from datetime import datetime

from django.conf import settings
from django.contrib.sessions.backends.base import SessionBase

_BEGUN = "begun_at"
_SEEN = "seen_at"
#: Seconds. The last use of a session is stored to the minute, so that not every page view needs a write.
_SEEN_EVERY = 60


def touch(session: SessionBase, *, at: datetime) -> bool:
    """Record that the session is in use. Return False if it has reached its maximum age."""
    moment = at.timestamp()
    begun = session.setdefault(_BEGUN, moment)
    if moment - begun > settings.SESSION_LASTS_AT_MOST.total_seconds():
        return False
    if moment - session.get(_SEEN, 0) >= _SEEN_EVERY:
        session[_SEEN] = moment  # saving the session restarts its idle time
    return True
