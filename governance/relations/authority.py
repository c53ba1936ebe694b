"""Who may say who stands in which relation."""

from governance.acting.principals import Principal
from governance.relations.refusals import RelatedByPeople


def require_relater(actor: Principal) -> None:
    """Raises RelatedByPeople unless `actor` is a reviewer, an admin or the operator; acting_relater() in the database
    has the last word. An agent could otherwise give itself the relation that a record is for."""
    if not may_relate(actor):
        raise RelatedByPeople


def may_relate(actor: Principal) -> bool:
    """Whether `actor` may add and revoke relations."""
    return actor.kind != "agent" and actor.may_write
