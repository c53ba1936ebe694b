"""The entries about relations, implied relations and audience rules."""

from governance.ledger.entry_types import ID, LIST, MOMENT, TEXT, EntryType, Field, Presence

_RELATION = (
    Field("id", ID, "the relation's record"),
    Field("principal", TEXT, "who stands in the relation, type:id"),
    Field("relation", TEXT, "the name of the relation"),
    Field("object", TEXT, "to what, type:id"),
    Field("reason", TEXT, "the reason"),
)
_IMPLIED = (
    Field("id", ID, "the implied relation's record"),
    Field("object_type", TEXT, "the type of the objects"),
    Field("relation", TEXT, "the relation that implies another"),
    Field("implies", TEXT, "the implied relation"),
)
_RULE = (
    Field("id", ID, "the rule's record"),
    Field("subject_type", TEXT, "of records about subjects of this type; empty: all"),
    Field("tag", TEXT, "of records with this tag; empty: all"),
    Field("kind", TEXT, "of records of this kind; empty: all"),
    Field("usersets", LIST, "who hears them; # stands for the record's subject"),
)

TYPES = (
    EntryType(
        "relation.added",
        "Relation added",
        "a reviewer or an admin records that a principal stands in a relation",
        (
            *_RELATION,
            Field("valid_from", MOMENT, "from when it is valid"),
            Field("valid_until", MOMENT, "when it ends; absent if it has no end", Presence.OPTIONAL),
        ),
        ("id",),
    ),
    EntryType("relation.revoked", "Relation revoked", "a reviewer or an admin revokes a relation", _RELATION, ("id",)),
    EntryType(
        "implied_relation.added",
        "Implied relation added",
        "an admin lets a relation imply another one",
        _IMPLIED,
        ("id",),
    ),
    EntryType(
        "implied_relation.removed",
        "Implied relation removed",
        "an admin removes an implied relation",
        _IMPLIED,
        ("id",),
    ),
    EntryType(
        "audience_rule.set",
        "Audience rule set",
        "an admin sets the audience of certain new records",
        (*_RULE, Field("reason", TEXT, "the reason")),
        ("id",),
    ),
    EntryType("audience_rule.removed", "Audience rule removed", "an admin removes an audience rule", _RULE, ("id",)),
)
