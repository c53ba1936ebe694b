"""Relations between principals and objects, and the interned audiences of records."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from governance.models.tenancy import AppendOnlyModel, SealedModel, TenantForeignKey, TenantModel


class RelationTuple(SealedModel):
    """A principal stands in a relation to an object, from one time until another. Revoked, never deleted."""

    principal = models.TextField(db_collation="C")
    relation = models.TextField(db_collation="C")
    object = models.TextField(db_collation="C")
    valid_from = models.DateTimeField()
    valid_until = models.DateTimeField(null=True, blank=True)  # the first moment at which it is over; NULL: no end
    reason = models.TextField()
    recorder_kind = models.TextField()
    recorded_by = models.UUIDField()
    recorder = models.TextField()  # the name at that time
    recorded_at = models.DateTimeField(default=timezone.now)

    class Meta(SealedModel.Meta):
        verbose_name = "relation"
        indexes = [
            models.Index(fields=["tenant", "principal", "recorded_at", "id"], name="relation_of_principal"),
            models.Index(fields=["tenant", "object", "relation", "id"], name="relation_to_object"),
            models.Index(fields=["tenant", "-recorded_at", "-id"], name="relation_newest"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(valid_until__isnull=True) | Q(valid_until__gt=F("valid_from")), name="relation_ends_after"
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="relation_has_reason"),
        ]

    def __str__(self) -> str:
        return f"{self.principal} {self.relation} {self.object}"


class RelationRevocation(SealedModel):
    """The end of a relation before its time. `principal` is the relation's: all revocations of a principal are read at
    once."""

    tuple = TenantForeignKey(RelationTuple)
    principal = models.TextField(db_collation="C")
    reason = models.TextField()
    recorder_kind = models.TextField()
    recorded_by = models.UUIDField()
    recorder = models.TextField()
    recorded_at = models.DateTimeField(default=timezone.now)

    class Meta(SealedModel.Meta):
        indexes = [models.Index(fields=["tenant", "principal", "tuple"], name="revocation_of_principal")]
        constraints = [
            models.UniqueConstraint(fields=["tenant", "tuple"], name="relation_revoked_once"),
            models.CheckConstraint(condition=~Q(reason=""), name="revocation_has_reason"),
        ]

    def __str__(self) -> str:
        return f"{self.tuple_id}: {self.reason}"


class ImpliedRelation(TenantModel):
    """Who stands in `relation` to an object of a type also stands in `implies` to it. One level: what is implied
    implies nothing more."""

    object_type = models.TextField(db_collation="C")
    relation = models.TextField(db_collation="C")
    implies = models.TextField(db_collation="C")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "object_type", "relation", "implies"], name="implied_relation_once"
            ),
            models.CheckConstraint(condition=~Q(relation=F("implies")), name="implied_relation_of_another"),
        ]

    def __str__(self) -> str:
        return f"{self.object_type}: {self.relation} implies {self.implies}"


class Audience(SealedModel):
    """A set of usersets, of which a reader must have one. Records name it by its number."""

    number = models.IntegerField()  # from 0 in each tenant, without gaps
    usersets = ArrayField(models.TextField(db_collation="C"))  # sorted
    digest = models.BinaryField(max_length=32)  # SHA-256 of the usersets
    created_at = models.DateTimeField(default=timezone.now)

    class Meta(SealedModel.Meta):
        constraints = [
            models.UniqueConstraint(fields=["tenant", "digest"], name="audience_once"),
            models.UniqueConstraint(fields=["tenant", "number"], name="audience_number"),
            models.CheckConstraint(condition=Q(usersets__len__gt=0), name="audience_of_usersets"),
        ]

    def __str__(self) -> str:
        return f"{self.number}: {', '.join(self.usersets)}"


class AudienceUserset(AppendOnlyModel):
    """One userset of an audience: by these rows a reader's audiences are found."""

    userset = models.TextField(db_collation="C")
    number = models.IntegerField()

    class Meta(AppendOnlyModel.Meta):
        constraints = [models.UniqueConstraint(fields=["tenant", "userset", "number"], name="audience_userset_once")]

    def __str__(self) -> str:
        return f"{self.userset} {self.number}"


class AudienceRule(TenantModel):
    """The audience of new records that name none, by subject type, tag and kind; an empty condition matches all. Of the
    rules that match, the one with most conditions wins; of equal ones, that with a tag, then that with a kind.

    `usersets` are those of an audience; `#relation` is relative to the record's subject, and `#` the subject itself."""

    subject_type = models.TextField(db_collation="C", blank=True)
    tag = models.TextField(db_collation="C", blank=True)
    kind = models.TextField(db_collation="C", blank=True)
    usersets = ArrayField(models.TextField(db_collation="C"))
    reason = models.TextField()
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["tenant", "subject_type", "tag", "kind"], name="audience_rule_once"),
            models.CheckConstraint(condition=Q(usersets__len__gt=0), name="audience_rule_of_usersets"),
        ]

    def __str__(self) -> str:
        named = (("subject", self.subject_type), ("tag", self.tag), ("kind", self.kind))
        return ", ".join(f"{name} {value}" for name, value in named if value) or "all records"
