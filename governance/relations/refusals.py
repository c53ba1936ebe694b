"""Why a relation, an implied relation, an audience or a rule is refused."""

from governance.refusals import Conflict, Forbidden, Invalid, NotFound, register_constraint


class RelatedByPeople(Forbidden):
    """Only a reviewer or an admin of the tenant can add and revoke relations. Use the key of a person."""


class MalformedRelation(Invalid):
    """A relation and a type are 1 to 50 lower-case letters, digits and underscores, and begin with a letter, such as
    clinician_of."""


class RelationEndsBeforeItBegins(Invalid):
    """The relation ends before it begins. Give a valid_until after valid_from, or leave it out for a relation without
    an end."""


class RelationExists(Conflict):
    """A relation that is not revoked already says this for all of that time. Nothing was added."""


class NoSuchRelation(NotFound):
    """The tenant has no relation with this id."""


class RelationAlreadyRevoked(Conflict):
    """This relation is already revoked."""


class ImpliedRelationExists(Conflict):
    """This relation already implies the other one for objects of this type."""


class ImpliedRelationOfItself(Invalid):
    """Every relation implies itself. Name another relation that it implies."""


class NoSuchImpliedRelation(NotFound):
    """The tenant has no implied relation with this id."""


class MalformedAudience(Invalid):
    """An audience names 1 to 1,000 principals, roles and relations."""


class AudienceNeedsSubject(Invalid):
    """The audience refers to the record's subject. Give the record a subject_type and a subject_id."""


class NoSuchAudienceRule(NotFound):
    """The tenant has no audience rule with this id."""


class AudienceRuleUnchanged(Conflict):
    """The rule for these conditions already has this audience. Nothing was changed."""


register_constraint("related_by_people", RelatedByPeople)
register_constraint("malformed_relation", MalformedRelation)
register_constraint("relation_ends_after", RelationEndsBeforeItBegins)
register_constraint("relation_exists", RelationExists)
register_constraint("no_such_relation", NoSuchRelation)
register_constraint("relation_already_revoked", RelationAlreadyRevoked)
register_constraint("implied_relation_exists", ImpliedRelationExists)
register_constraint("implied_relation_of_itself", ImpliedRelationOfItself)
register_constraint("no_such_implied_relation", NoSuchImpliedRelation)
register_constraint("malformed_audience", MalformedAudience)
register_constraint("no_such_audience_rule", NoSuchAudienceRule)
register_constraint("audience_rule_unchanged", AudienceRuleUnchanged)
