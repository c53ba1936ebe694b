"""The tenant, and the base classes of all tables within one."""

import uuid
from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Any, Self

import uuid_utils.compat
from django.db import models
from django.utils import timezone

from governance.database.triggers import DenyChange, DenyTruncate, NoteRecorded


def new_id() -> uuid.UUID:
    """A UUIDv7 (RFC 9562): in order of time, so that new keys go to the end of an index."""
    return uuid_utils.compat.uuid7()


def first_id_of(moment: datetime) -> uuid.UUID:
    """The smallest UUIDv7 of this time: ids created from then on are equal or greater."""
    return uuid.UUID(int=int(moment.timestamp() * 1000) << 80)


class Channel(models.TextChoices):
    """The audience of memory."""

    PRIVATE = "private"
    PUBLIC = "public"
    TEAM = "team"
    AGENT = "agent"


class Sensitivity(models.TextChoices):
    NONE = "none"
    LOW = "low"
    HIGH = "high"  # seen in the private and team channels only
    SECRET = "secret"  # noqa: S105 (a level, not a password); never returned by retrieval


class SearchLanguage(models.TextChoices):
    """The languages in which PostgreSQL 16 and later finds all forms of a word, and `simple` for any other."""

    ARABIC = "arabic"
    ARMENIAN = "armenian"
    BASQUE = "basque"
    CATALAN = "catalan"
    DANISH = "danish"
    DUTCH = "dutch"
    ENGLISH = "english"
    FINNISH = "finnish"
    FRENCH = "french"
    GERMAN = "german"
    GREEK = "greek"
    HINDI = "hindi"
    HUNGARIAN = "hungarian"
    INDONESIAN = "indonesian"
    IRISH = "irish"
    ITALIAN = "italian"
    LITHUANIAN = "lithuanian"
    NEPALI = "nepali"
    NORWEGIAN = "norwegian"
    PORTUGUESE = "portuguese"
    ROMANIAN = "romanian"
    RUSSIAN = "russian"
    SERBIAN = "serbian"
    SIMPLE = "simple", "Simple (another language)"
    SPANISH = "spanish"
    SWEDISH = "swedish"
    TAMIL = "tamil"
    TURKISH = "turkish"
    YIDDISH = "yiddish"


class Tenant(models.Model):
    """The isolation boundary; every row of memory and governance belongs to exactly one."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    slug = models.SlugField(unique=True)
    policy = models.TextField(default="standard")
    # days until a pending edit expires
    pending_edit_days = models.PositiveSmallIntegerField(default=30)
    # {channel: sensitivity}, the default of new records; `none` for other channels
    default_sensitivities = models.JSONField(default=dict)
    # the text search configuration (search_language() in the database)
    search_language = models.TextField(default=SearchLanguage.ENGLISH)
    # the weight of meaning in a search, from 0 (words alone) to 1
    hybrid_alpha = models.FloatField(default=0.5)
    # hours until ephemeral memory that an agent commits expires, unless the commit names a time
    ephemeral_hours = models.PositiveIntegerField(db_default=24)
    # how many edits of others' memory an agent makes at once in an hour, and how many of its edits may be pending
    agent_edits_per_hour = models.PositiveIntegerField(db_default=20)
    agent_pending_edits = models.PositiveIntegerField(db_default=100)
    # the promotion thresholds that differ from the defaults (promotion_rules() in the database)
    promotion_rules = models.JSONField(db_default={})
    # after a change of them: the chunk up to which a job has queued all for reevaluation; NULL when finished
    promotion_cursor = models.UUIDField(null=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(policy__in=["standard", "strict", "open"]), name="tenant_policy_known"
            ),
            models.CheckConstraint(condition=models.Q(hybrid_alpha__range=(0, 1)), name="tenant_alpha_in_range"),
        ]

    def __str__(self) -> str:
        return self.slug


class TenantModel(models.Model):
    """A table within a tenant. The database backend keys it by (tenant_id, id) and secures its rows."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    tenant = models.ForeignKey(Tenant, models.PROTECT, db_index=False, related_name="+")

    class Meta:
        abstract = True

    @classmethod
    def by_ids(
        cls, tenant_id: uuid.UUID, ids: Iterable[uuid.UUID], fields: Collection[str] | None = None
    ) -> "models.query.RawQuerySet[Self]":
        """The tenant's rows with these ids, each looked up by the primary key; with all fields, or the id and `fields`.

        For `filter(tenant_id=..., id__in=...)`, the planner, which does not know the tenant's share of the table, reads
        the tenant's part of any index that ends with the id (docs/decisions/0013)."""
        columns = "r.*" if fields is None else ", ".join(f"r.{name}" for name in ("id", *fields))
        return cls._default_manager.raw(
            f"SELECT {columns} FROM unnest(%s::uuid[]) AS w (id) CROSS JOIN LATERAL"  # noqa: S608 (the model's names)
            f" (SELECT * FROM {cls._meta.db_table} t WHERE t.tenant_id = %s AND t.id = w.id LIMIT 1) r",
            [list(ids), tenant_id],
        )


class AppendOnlyModel(TenantModel):
    """A table that only accepts inserts. A child's Meta must inherit this one (check governance.E001)."""

    class Meta:
        abstract = True
        triggers = [DenyChange(name="append_only"), DenyTruncate(name="no_truncate")]


class SealedModel(AppendOnlyModel):
    """A table whose rows are sealed (governance/ledger/sealed_kinds.py). A child's Meta must inherit this one (check
    governance.E003)."""

    class Meta(AppendOnlyModel.Meta):
        abstract = True
        triggers = [*AppendOnlyModel.Meta.triggers, NoteRecorded(name="note_recorded")]


class _WithinTenant:
    """Joins compare the tenant too: the composite index serves them, and rows distributed by tenant stay together."""

    def get_joining_fields(self, reverse_join: bool = False) -> tuple[Any, ...]:
        own = self.model._meta.get_field("tenant")  # type: ignore[attr-defined]
        other = self.remote_field.model._meta.get_field("tenant")  # type: ignore[attr-defined]
        pair = (other, own) if reverse_join else (own, other)
        return (*super().get_joining_fields(reverse_join), pair)  # type: ignore[misc]


class TenantForeignKey(_WithinTenant, models.ForeignKey[Any, Any]):
    """A foreign key within the tenant, RESTRICT in the database. Migrations see a plain ForeignKey."""

    def __init__(self, to: Any, on_delete: Any = models.PROTECT, **kwargs: Any) -> None:
        kwargs.setdefault("db_index", False)
        kwargs.setdefault("related_name", "+")
        super().__init__(to, on_delete, **kwargs)

    def deconstruct(self) -> Any:
        name, _, args, kwargs = super().deconstruct()
        return name, "django.db.models.ForeignKey", args, kwargs


class TenantOneToOneField(_WithinTenant, models.OneToOneField[Any, Any]):
    """A one-to-one key within the tenant. Migrations see a plain OneToOneField."""

    def deconstruct(self) -> Any:
        name, _, args, kwargs = super().deconstruct()
        return name, "django.db.models.OneToOneField", args, kwargs
