"""What `Memory` and `AsyncMemory` have in common apart from their calls."""

from copy import copy
from typing import Self

import httpx

from suture_client.hooks.settings import DEFAULT_URL
from suture_client.memory.scope import Scope

#: Seconds before each repeated attempt.
PAUSES = (0.5, 1.0, 2.0, 4.0)


def credentials_for(url: str | None, key: str | None, transport: object) -> tuple[str | None, str | None]:
    """The address and the key. A mock in memory needs neither."""
    if isinstance(transport, httpx.MockTransport):
        return url or DEFAULT_URL, key or ""
    return url, key


class Face:
    """A memory of an application."""

    def __init__(self, on_behalf_of: str | None) -> None:
        self.scope = Scope(on_behalf_of=on_behalf_of)

    @property
    def face(self) -> Self:
        """Itself, as of the memories that belong to it."""
        return self

    def about(
        self,
        subject: str | None = None,
        *,
        project: str | None = None,
        session: str | None = None,
        channel: str | None = None,
        on_behalf_of: str | None = None,
    ) -> Self:
        """Return the same memory, limited to a subject such as user:ada or a project. Its new memories are about them,
        and belong to the session. What is None stays as it is. The connections are shared. Raises Failed for a subject
        without a type or an id."""
        narrowed = copy(self)
        narrowed.scope = self.scope.narrowed(
            subject=subject, project=project, session=session, channel=channel, on_behalf_of=on_behalf_of
        )
        return narrowed
