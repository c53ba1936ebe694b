"""Lists of the tenant's people, agents, keys and policy, which admins manage."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone

from governance.acting.principals import Principal
from governance.admin import actions, people
from governance.admin.filters import ExactFilter, SinceFilter, UntilFilter, actor_ids
from governance.admin.manage import ManagedAdmin
from governance.admin.site import principal_of, site
from governance.admin.tenants import MAKE_TENANT
from governance.edits import policies, promotion_rules
from governance.models import (
    Agent,
    ApiKey,
    Invitation,
    Membership,
    PolicyChange,
    Tenant,
    User,
)
from governance.models.policies import RULED


class KeyStateFilter(admin.SimpleListFilter):
    """Keys that work, and those that no longer do."""

    title = "state"
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("live", "Live"), ("revoked", "Revoked"), ("expired", "Expired")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        now = timezone.now()
        match self.value():
            case "live":
                return queryset.filter(revoked_at=None).exclude(expires_at__lte=now)
            case "revoked":
                return queryset.exclude(revoked_at=None)
            case "expired":
                return queryset.filter(revoked_at=None, expires_at__lte=now)
        return queryset


class OwnerFilter(ExactFilter):
    """Keys of one agent or person, by name."""

    title = "owner (a name)"
    parameter_name = "owner"

    def condition(self, principal: Principal, value: str) -> Q:
        owners = actor_ids(principal.tenant_id, value)
        return Q(agent_id__in=owners) | Q(user_id__in=owners)


class PolicyActorFilter(ExactFilter):
    """Changes that a person proposed or decided, by name."""

    title = "proposer or decider (a name)"
    parameter_name = "actor"

    def condition(self, principal: Principal, value: str) -> Q:
        actors = actor_ids(principal.tenant_id, value)
        return Q(proposed_by__in=actors) | Q(state__decided_by__in=actors)


@admin.register(Agent, site=site)
class AgentAdmin(ManagedAdmin):
    icon = "smart_toy"
    list_acts = [actions.MAKE_AGENT]
    row_acts = [
        actions.ISSUE_KEY,
        actions.ALLOW_QUARANTINED,
        actions.REFUSE_QUARANTINED,
        actions.DEACTIVATE,
        actions.ACTIVATE,
    ]
    list_display = ["slug", "channels", "reads_quarantined", "is_active", "created_at"]
    list_filter = ["is_active"]
    search_fields = ["slug"]
    ordering = ["slug"]

    def label_of(self, row: Agent) -> str:
        return row.slug


@admin.register(ApiKey, site=site)
class ApiKeyAdmin(ManagedAdmin):
    """Keys by their public prefix; the digest is never shown. New keys are issued on an agent's page."""

    icon = "key"
    row_acts = [actions.ROTATE, actions.REVOKE]
    list_display = ["prefix", "owner", "speaks_for", "created_at", "expires_at", "revoked_at", "last_used_at"]
    list_filter = [KeyStateFilter, OwnerFilter, SinceFilter, UntilFilter]
    list_filter_submit = True
    list_select_related = ["agent", "user"]
    exclude = ["tenant", "digest"]
    search_fields = ["prefix"]
    ordering = ["-created_at"]

    def label_of(self, row: ApiKey) -> str:
        return f"{row.prefix} of {self.owner(row)}"

    @admin.display(description="Owner")
    def owner(self, key: ApiKey) -> str:
        return f"agent {key.agent.slug}" if key.agent else f"human {key.user}"


@admin.register(Membership, site=site)
class MembershipAdmin(ManagedAdmin):
    icon = "badge"
    list_acts = [people.ADD, people.INVITE]
    row_acts = [people.WITHDRAW]
    list_display = ["user", "role", "is_active", "created_at"]
    list_filter = ["role", "is_active", SinceFilter, UntilFilter]
    list_filter_submit = True
    list_select_related = ["user"]
    search_fields = ["user__username"]
    ordering = ["user__username", "role"]

    def story_of(self, row: Membership) -> UUID:
        return row.user_id

    def label_of(self, row: Membership) -> str:
        return f"{row.user.username}, {row.role}"


@admin.register(Invitation, site=site)
class InvitationAdmin(ManagedAdmin):
    """Invitations and their status. They do not reveal whether the account exists before its owner answers."""

    icon = "mail"
    list_acts = [people.INVITE]
    row_acts = [people.WITHDRAW_INVITATION]
    list_display = ["username", "offered", "state", "inviter", "created_at", "expires_at"]
    list_filter = ["status", SinceFilter, UntilFilter]
    list_filter_submit = True
    fields = ["username", "offered", "state", "inviter", "created_at", "expires_at", "answered_at"]
    readonly_fields = ["offered", "state"]
    search_fields = ["username"]
    ordering = ["-created_at"]

    def label_of(self, row: Invitation) -> str:
        return row.username

    @admin.display(description="Roles")
    def offered(self, invitation: Invitation) -> str:
        return ", ".join(invitation.roles)

    @admin.display(description="Status", ordering="status")
    def state(self, invitation: Invitation) -> str:
        is_over = invitation.status == Invitation.Status.PENDING and not invitation.is_open
        return "expired" if is_over else invitation.status


@admin.register(Tenant, site=site)
class TenantAdmin(ManagedAdmin):
    """The tenant of the session, and no other."""

    icon = "domain"
    row_acts = [actions.CHANGE_TENANT]
    list_display = [
        "slug",
        "policy",
        "pending_edit_days",
        "default_sensitivities",
        "search_language",
        "hybrid_alpha",
        "ephemeral_hours",
        "agent_edits_per_hour",
        "agent_pending_edits",
        "created_at",
    ]
    ordering = ["slug"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return Tenant.objects.filter(id=principal_of(request).tenant_id)

    def list_context(self, request: HttpRequest) -> dict[str, Any]:
        """Add a link to the page that creates a tenant, which is not an action on this tenant."""
        if not principal_of(request).is_superuser:
            return {}
        return {"acts": [(MAKE_TENANT, reverse("admin:make_tenant"))]}

    def story_of(self, row: Tenant) -> None:
        """None: the whole ledger is the tenant's story."""

    def label_of(self, row: Tenant) -> str:
        return row.slug


class UserForm(forms.ModelForm):  # type: ignore[type-arg] # generic in the stubs only
    """Removes Django's help texts for typing: the fields are read-only here."""

    class Meta:
        help_texts = {
            "username": "",
            "is_active": "",
            "is_superuser": "Can enter every tenant (its ledger records this), create tenants and manage accounts.",
        }


@admin.register(User, site=site)
class UserAdmin(ManagedAdmin):
    """The tenant's members; superusers also see the server's other superusers, who are in no tenant's list. Passwords,
    Django's groups and other tenants' roles are never shown."""

    icon = "group"
    list_acts = [people.ADD, people.INVITE]
    form = UserForm
    row_acts = [
        people.GRANT,
        people.GIVE_PASSWORD,
        people.SWITCH_OFF_FACTOR,
        people.REMOVE,
        people.DEACTIVATE,
        people.ACTIVATE,
    ]
    list_display = ["username", "roles", "is_active", "last_login"]
    fields = ["username", "first_name", "last_name", "roles", "is_active", "is_superuser", "last_login", "date_joined"]
    readonly_fields = ["roles"]
    search_fields = ["username"]
    ordering = ["username"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        principal = principal_of(request)
        shown = Q(id__in=Membership.objects.filter(tenant_id=principal.tenant_id).values("user_id"))
        if principal.is_superuser:
            shown |= Q(is_superuser=True)
        # row security keeps the prefetch to this tenant's roles
        return User.objects.filter(shown).prefetch_related("memberships")

    def label_of(self, row: User) -> str:
        return row.username

    @admin.display(description="Roles")
    def roles(self, user: User) -> str:
        return ", ".join(sorted(one.role for one in user.memberships.all() if one.is_active))


@admin.register(PolicyChange, site=site)
class PolicyChangeAdmin(ManagedAdmin):
    """Changes of the approval policy, below the policy in force."""

    icon = "policy"
    list_acts = [actions.CHANGE_POLICY, actions.CHANGE_PROMOTION]
    row_acts = [actions.APPLY_CHANGE, actions.REJECT_CHANGE]
    list_before_template = "admin/governance/manage/policy.html"
    list_display = ["preset", "status", "proposer", "decider", "reason", "created_at"]
    list_filter = ["state__status", "preset", PolicyActorFilter, SinceFilter, UntilFilter]
    list_filter_submit = True
    list_select_related = ["state"]
    fields = [
        "preset", "overrides", "thresholds", "reason", "proposer", "needs_second", "takes_effect_at", "status",
        "decider", "created_at",
    ]  # fmt: skip
    readonly_fields = ["thresholds", "takes_effect_at", "status", "decider"]
    ordering = ["-created_at", "-id"]

    def list_context(self, request: HttpRequest) -> dict[str, Any]:
        tenant_id = principal_of(request).tenant_id
        return {"policy": _in_force(tenant_id), "pending": policies.pending_changes(tenant_id)}

    def label_of(self, row: PolicyChange) -> str:
        return f"{row.preset}, proposed by {row.proposer}"

    @admin.display(description="Status", ordering="state__status")
    def status(self, change: PolicyChange) -> str:
        return change.state.status

    @admin.display(description="Promotion thresholds")
    def thresholds(self, change: PolicyChange) -> str:
        return "; ".join(f"{label}: {value}" for label, value in _thresholds(change.promotion or {}))

    @admin.display(description="Takes effect at")
    def takes_effect_at(self, change: PolicyChange) -> str:
        due = change.state.takes_effect_at
        return f"{due:%Y-%m-%d %H:%M} UTC, unless an admin rejects it" if due else ""

    @admin.display(description="Decided by")
    def decider(self, change: PolicyChange) -> str:
        return change.state.decider or ""


def _in_force(tenant_id: UUID) -> dict[str, Any]:
    """The preset, and for each operation the approvals that edits of agents and of people need."""
    needed: dict[tuple[str, str], list[str]] = {}
    for rule in policies.rules_of(tenant_id):
        approvals = ("at once", "one approval", "two approvals")[rule.approvals]
        of = f" for sensitivity {rule.sensitivity}" if rule.sensitivity else ""
        needed.setdefault((rule.op, rule.proposer_kind), []).append(approvals + of)
    rules = [
        (op, *("; ".join(needed.get((op, kind), ["two approvals"])) for kind in ("agent", "human"))) for op in RULED
    ]
    thresholds = _thresholds(promotion_rules.rules_of(tenant_id))
    return {"preset": Tenant.objects.get(id=tenant_id).policy, "rules": rules, "thresholds": thresholds}


def _thresholds(rules: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The label and the value of each promotion threshold."""
    numbers = [(one.label, str(rules[one.name])) for one in promotion_rules.THRESHOLDS if one.name in rules]
    if promotion_rules.PROMOTING_AGENTS not in rules:
        return numbers
    return [*numbers, ("Agents that may promote", ", ".join(rules[promotion_rules.PROMOTING_AGENTS]) or "none")]
