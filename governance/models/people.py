"""Agents, human users with their roles, and their keys."""

from collections.abc import Iterator

from django.contrib.auth.hashers import check_password
from django.contrib.auth.models import AbstractUser
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils import timezone

from governance.models.tenancy import Channel, Tenant, TenantForeignKey, TenantModel, new_id


class User(AbstractUser):
    """A person. A Membership grants a role in a tenant; people are deactivated, never deleted."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    # Expiry of a one-time password, which another person knows. After logging in with it, the admin requires a new one.
    one_time_password_until = models.DateTimeField(null=True, blank=True)
    # Counts how often all their sessions were ended; a session is valid while its number is current.
    sessions_ended = models.PositiveIntegerField(default=0, db_default=0)
    # The tenant in which its admin, or the operator for it, created the account; its admins may reset the account.
    made_in = models.ForeignKey(Tenant, models.PROTECT, null=True, blank=True, db_index=False, related_name="+")
    # The person who created it with its first password; NULL: the operator.
    made_by = models.UUIDField(null=True, blank=True)
    # Time and actor of the last reset of the password or second factor by another person, who may have logged in since.
    reset_at = models.DateTimeField(null=True, blank=True)
    reset_by = models.UUIDField(null=True, blank=True)

    @property
    def has_one_time_password(self) -> bool:
        """Whether the person must still choose their own password."""
        return self.one_time_password_until is not None

    def set_password(self, raw_password: str | None) -> None:
        """Set a password that the person has chosen."""
        super().set_password(raw_password)
        self.one_time_password_until = None

    def check_password(self, raw_password: str | None) -> bool:
        """Whether this is the password. Does not rehash it, unlike Django, because only the person may write it; the
        login does (governance.identity.passwords)."""
        return check_password(raw_password, self.password)

    def get_session_auth_hash(self) -> str:
        """The hash that Django compares at every request: a new password or `sessions_ended` ends the session."""
        return self._until_ended(super().get_session_auth_hash())

    def get_session_auth_fallback_hash(self) -> Iterator[str]:
        """The same with the previous secrets."""
        return map(self._until_ended, super().get_session_auth_fallback_hash())

    def _until_ended(self, session_hash: str) -> str:
        return f"{session_hash}.{self.sessions_ended}"


class Membership(TenantModel):
    """A role of a user in a tenant."""

    class Role(models.TextChoices):
        REVIEWER = "reviewer"  # proposes and decides edits
        AUDITOR = "auditor"  # reads everything, changes nothing
        ADMIN = "admin"  # manages agents, keys and policies; decides edits

    user = models.ForeignKey(User, models.PROTECT, related_name="memberships")
    role = models.TextField(choices=Role.choices)
    is_active = models.BooleanField(default=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["tenant", "user", "role"], name="membership_once"),
            models.CheckConstraint(
                condition=Q(role__in=["reviewer", "auditor", "admin"]), name="membership_role_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.role} {self.user_id}"


class Invitation(TenantModel):
    """Roles in a tenant, offered to the owner of an account."""

    class Status(models.TextChoices):
        PENDING = "pending"  # -> accepted, declined, withdrawn
        ACCEPTED = "accepted"
        DECLINED = "declined"
        WITHDRAWN = "withdrawn"

    # As the admin typed it. It does not reference an account, because the admin must not learn whether one exists.
    username = models.TextField()
    roles = ArrayField(models.TextField(choices=Membership.Role.choices))
    invited_by = models.UUIDField()
    inviter = models.TextField()
    status = models.TextField(choices=Status.choices)
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()
    answered_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes = [
            # a person's invitations, before a tenant is known
            models.Index(fields=["username"], condition=Q(status="pending"), name="invitation_of_username"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "username"], condition=Q(status="pending"), name="invitation_pending_once"
            ),
            models.CheckConstraint(
                condition=Q(roles__contained_by=["reviewer", "auditor", "admin"]) & Q(roles__len__gt=0),
                name="invitation_roles_known",
            ),
            models.CheckConstraint(
                condition=Q(status="pending", answered_at__isnull=True)
                | Q(status__in=["accepted", "declined", "withdrawn"], answered_at__isnull=False),
                name="invitation_status_known",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.username}: {', '.join(self.roles)}"

    @property
    def is_open(self) -> bool:
        """Whether it can still be accepted."""
        return self.status == self.Status.PENDING and self.expires_at > timezone.now()


def all_channels() -> list[str]:
    return [str(value) for value in Channel.values]


class Agent(TenantModel):
    """A machine identity, known by its slug."""

    slug = models.SlugField(max_length=100, db_index=False)
    channels = ArrayField(models.TextField(choices=Channel.choices), default=all_channels)
    is_active = models.BooleanField(default=True)
    # Whether an admin allows it to request quarantined memory.
    reads_quarantined = models.BooleanField(default=False)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["tenant", "slug"], name="agent_slug"),
            models.CheckConstraint(
                condition=Q(channels__contained_by=["private", "public", "team", "agent"]) & Q(channels__len__gt=0),
                name="agent_channels_known",
            ),
        ]

    def __str__(self) -> str:
        return self.slug


class ApiKey(TenantModel):
    """A bearer key of an agent or a user, stored as its SHA-256. The prefix is public, to tell keys apart."""

    agent = TenantForeignKey(Agent, null=True, blank=True)
    user = models.ForeignKey(User, models.PROTECT, null=True, blank=True, db_index=False, related_name="+")
    # The person who issued it, and so has seen it. NULL: the operator.
    issued_by = models.UUIDField(null=True, blank=True)
    # The principals on whose behalf its requests may ask: `*`, `type:*` or `type:id`.
    speaks_for = ArrayField(models.TextField(), default=list, db_default=[], blank=True)
    # Whether each of its requests must name one of them.
    must_speak_for = models.BooleanField(default=False, db_default=False)
    prefix = models.CharField(max_length=12)
    digest = models.BinaryField(max_length=32)
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    # Rounded to the minute: a write on every request would serialise an agent's requests on this row.
    last_used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = "API key"
        indexes = [
            models.Index(fields=["digest"], name="api_key_digest"),  # authentication, before a tenant is known
        ]
        constraints = [
            models.UniqueConstraint(fields=["tenant", "prefix"], name="api_key_prefix"),
            models.CheckConstraint(
                condition=Q(agent__isnull=False, user__isnull=True) | Q(agent__isnull=True, user__isnull=False),
                name="api_key_of_one_owner",
            ),
            models.CheckConstraint(
                condition=Q(must_speak_for=False) | Q(speaks_for__len__gt=0), name="api_key_speaks_for_whom_it_must"
            ),
        ]

    def __str__(self) -> str:
        return self.prefix
