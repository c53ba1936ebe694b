"""The plain lists: verdicts, the ledger, and who is who in the tenant. To look at only."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from governance.admin.base import ReadOnlyAdmin
from governance.admin.site import principal_of, site
from governance.models import Agent, ApiKey, Entry, Membership, Tenant, User, Verdict


@admin.register(Verdict, site=site)
class VerdictAdmin(ReadOnlyAdmin):
    list_display = ["decision", "edit", "decider", "decided_at", "reason"]
    list_filter = ["decision", "decider_kind"]
    list_select_related = ["edit"]
    search_fields = ["decider", "reason"]
    ordering = ["-id"]


@admin.register(Entry, site=site)
class EntryAdmin(ReadOnlyAdmin):
    """The ledger: each chain in order, newest first."""

    list_display = ["seq", "type", "chain", "when", "actor", "short_hash"]
    list_select_related = ["chain"]
    fields = ["chain", "seq", "when", "type", "retention", "metadata", "hash_hex", "prev_hash_hex", "content_hash_hex"]
    readonly_fields = ["when", "hash_hex", "prev_hash_hex", "content_hash_hex"]
    search_fields = ["type"]
    ordering = ["-id"]

    @admin.display(description="Time (UTC)")
    def when(self, entry: Entry) -> str:
        return f"{entry.ts:%Y-%m-%d %H:%M:%S.%f}"

    @admin.display(description="Actor")
    def actor(self, entry: Entry) -> str:
        actor: dict[str, Any] = entry.metadata.get("actor") or {}
        return f"{actor.get('kind', '')} {actor.get('name', '')}".strip()

    @admin.display(description="Hash")
    def short_hash(self, entry: Entry) -> str:
        return bytes(entry.hash).hex()[:12]

    @admin.display(description="Hash")
    def hash_hex(self, entry: Entry) -> str:
        return bytes(entry.hash).hex()

    @admin.display(description="Previous hash")
    def prev_hash_hex(self, entry: Entry) -> str:
        return bytes(entry.prev_hash).hex()

    @admin.display(description="Content hash")
    def content_hash_hex(self, entry: Entry) -> str | None:
        return bytes(entry.content_hash).hex() if entry.content_hash is not None else None


@admin.register(Agent, site=site)
class AgentAdmin(ReadOnlyAdmin):
    list_display = ["slug", "channels", "is_active", "created_at"]
    list_filter = ["is_active"]
    search_fields = ["slug"]
    ordering = ["slug"]


@admin.register(ApiKey, site=site)
class ApiKeyAdmin(ReadOnlyAdmin):
    """Keys by their public prefix; the digest is shown nowhere."""

    list_display = ["prefix", "owner", "created_at", "expires_at", "revoked_at", "last_used_at"]
    list_select_related = ["agent", "user"]
    exclude = ["tenant", "digest"]
    search_fields = ["prefix"]
    ordering = ["-created_at"]

    @admin.display(description="Owner")
    def owner(self, key: ApiKey) -> str:
        return f"agent {key.agent.slug}" if key.agent else f"human {key.user}"


@admin.register(Membership, site=site)
class MembershipAdmin(ReadOnlyAdmin):
    list_display = ["user", "role", "is_active", "created_at"]
    list_filter = ["role", "is_active"]
    list_select_related = ["user"]
    search_fields = ["user__username"]
    ordering = ["user__username", "role"]


@admin.register(Tenant, site=site)
class TenantAdmin(ReadOnlyAdmin):
    """The tenant of the session, and no other."""

    list_display = ["slug", "policy", "created_at"]
    ordering = ["slug"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return Tenant.objects.filter(id=principal_of(request).tenant_id)


@admin.register(User, site=site)
class UserAdmin(ReadOnlyAdmin):
    """The tenant's members. Passwords, Django's own groups and other tenants' roles are shown nowhere."""

    list_display = ["username", "roles", "is_active", "last_login"]
    fields = ["username", "first_name", "last_name", "roles", "is_active", "last_login", "date_joined"]
    readonly_fields = ["roles"]
    search_fields = ["username"]
    ordering = ["username"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        members = Membership.objects.filter(tenant_id=principal_of(request).tenant_id)
        # row security keeps the prefetch to this tenant's roles
        return User.objects.filter(id__in=members.values("user_id")).prefetch_related("memberships")

    @admin.display(description="Roles")
    def roles(self, user: User) -> str:
        return ", ".join(sorted(one.role for one in user.memberships.all() if one.is_active))
