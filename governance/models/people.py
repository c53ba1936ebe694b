"""Who acts: agents, human users with their roles, and the keys that speak for them."""

from collections.abc import Iterator

from django.contrib.auth.hashers import check_password
from django.contrib.auth.models import AbstractUser
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils import timezone

from governance.models.tenancy import Channel, Tenant, TenantForeignKey, TenantModel, new_id


class User(AbstractUser):
    """A person. What they may do in a tenant is a Membership; people are deactivated, never deleted."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    # Somebody else has seen the password: until then it logs in, and the admin asks for another before anything else.
    one_time_password_until = models.DateTimeField(null=True, blank=True)
    # How often all their sessions were ended: a session holds while the number is the one that it began under.
    sessions_ended = models.PositiveIntegerField(default=0, db_default=0)
    # The tenant that the account was made in, by its admin or for it by the operator: whose admins may reset it.
    made_in = models.ForeignKey(Tenant, models.PROTECT, null=True, blank=True, db_index=False, related_name="+")
    # The person who made it and gave it its first password; NULL: the operator.
    made_by = models.UUIDField(null=True, blank=True)
    # When somebody else last gave the password or turned off the second factor, and who: they may have entered since.
    reset_at = models.DateTimeField(null=True, blank=True)
    reset_by = models.UUIDField(null=True, blank=True)

    @property
    def has_one_time_password(self) -> bool:
        """Whether the password is somebody else's choice."""
        return self.one_time_password_until is not None

    def set_password(self, raw_password: str | None) -> None:
        """A password that is set is the person's own."""
        super().set_password(raw_password)
        self.one_time_password_until = None

    def check_password(self, raw_password: str | None) -> bool:
        """Whether this is the password. The login renews its hash (governance.identity.passwords). Django renews it at
        every check, but only the person may write it."""
        return check_password(raw_password, self.password)

    def get_session_auth_hash(self) -> str:
        """What Django compares at every request of a session: another password ends it, and so does
        `sessions_ended`."""
        return self._until_ended(super().get_session_auth_hash())

    def get_session_auth_fallback_hash(self) -> Iterator[str]:
        """The same under the secrets of before."""
        return map(self._until_ended, super().get_session_auth_fallback_hash())

    def _until_ended(self, session_hash: str) -> str:
        return f"{session_hash}.{self.sessions_ended}"


class Membership(TenantModel):
    """A role that a user holds in a tenant."""

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
    """Roles in a tenant that wait for the owner of an account to accept them."""

    class Status(models.TextChoices):
        PENDING = "pending"  # -> accepted, declined, withdrawn
        ACCEPTED = "accepted"
        DECLINED = "declined"
        WITHDRAWN = "withdrawn"

    # As the admin typed it. It refers to no account: whether there is one is not for the admin to learn.
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
    # Whether it gets quarantined memory if it asks for it; an admin allows it.
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
    # The person who issued it, and has seen it. NULL: the operator.
    issued_by = models.UUIDField(null=True, blank=True)
    prefix = models.CharField(max_length=12)
    digest = models.BinaryField(max_length=32)
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    # Kept to the minute: a write on every request would serialise an agent's requests on this row.
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
        ]

    def __str__(self) -> str:
        return self.prefix
