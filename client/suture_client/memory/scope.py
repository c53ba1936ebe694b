"""What an application's memory is about, and for whom it asks."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from suture_client.errors import Failed
from suture_client.http import SESSION_HEADER

ON_BEHALF_OF = "X-On-Behalf-Of"


@dataclass(frozen=True, slots=True)
class Scope:
    """What memories are about, and the headers of each request."""

    subject: str | None = None
    project: str | None = None
    session: str | None = None
    channel: str | None = None
    on_behalf_of: str | None = None
    headers: Mapping[str, str] = field(init=False)

    def __post_init__(self) -> None:
        given = {SESSION_HEADER: self.session, ON_BEHALF_OF: self.on_behalf_of}
        object.__setattr__(self, "headers", {name: value for name, value in given.items() if value is not None})

    def narrowed(self, **given: str | None) -> "Scope":
        """The scope with the fields that are not None. Raises Failed for a subject without a type or an id."""
        subject_fields(given.get("subject"))
        fields: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
        return replace(self, **fields)

    def filters(self, **more: Any) -> dict[str, Any]:
        """The fields that restrict a list or a search, and those of `more` that are not None. A session does not:
        a subject is remembered across sessions."""
        given = {**subject_fields(self.subject), "project_id": self.project, "channel": self.channel, **more}
        return {name: value for name, value in given.items() if value is not None}

    def fields(self, **more: Any) -> dict[str, Any]:
        """The fields of a new memory, and those of `more` that are not None."""
        return self.filters(**{"session_id": self.session, **{n: v for n, v in more.items() if v is not None}})


def subject_fields(subject: str | None) -> dict[str, str]:
    """The fields of a subject such as `user:ada`. Raises Failed if it has no type or no id."""
    if subject is None:
        return {}
    type, mark, id = subject.partition(":")
    if not (type and mark and id):
        raise Failed(f"A subject is a type and an id, such as user:ada, not {subject!r}.")
    return {"subject_type": type, "subject_id": id}
