"""The subjects and the projects of which a principal may read memory."""

from governance.acting.principals import Principal
from memory.queries import db
from memory.queries.audience import audience
from memory.queries.rows import Project, Subject


def list_subjects(
    principal: Principal,
    *,
    subject_type: str | None = None,
    prefix: str | None = None,
    channel: str | None = None,
    after: tuple[str, str] | None = None,
    limit: int,
) -> list[Subject]:
    """The first `limit` subjects after `after`, in the order of their names, of this type and with this beginning of
    the id. Raises ChannelNotAllowed."""
    after_type, after_id = after or (None, None)
    return db.list_subjects(
        tenant=principal.tenant_id,
        listening=audience(principal, channel).listening,
        subject_type=subject_type,
        prefix=prefix,
        after_type=after_type,
        after_id=after_id,
        limit=limit,
    )


def list_projects(
    principal: Principal,
    *,
    prefix: str | None = None,
    channel: str | None = None,
    after: str | None = None,
    limit: int,
) -> list[Project]:
    """The first `limit` projects after `after`, in the order of their names, with this beginning. Raises
    ChannelNotAllowed."""
    return db.list_projects(
        tenant=principal.tenant_id,
        listening=audience(principal, channel).listening,
        prefix=prefix,
        after=after,
        limit=limit,
    )
