"""Actions of admins on agents, keys, the policy and the tenant. Each is one call of a service."""

from datetime import timedelta
from typing import Any

from django import forms
from django.utils import timezone
from unfold.widgets import (
    UnfoldAdminCheckboxSelectMultipleWidget,
    UnfoldAdminDecimalFieldWidget,
    UnfoldAdminIntegerFieldWidget,
    UnfoldAdminSelectWidget,
    UnfoldAdminTextareaWidget,
    UnfoldBooleanWidget,
)

from governance.acting.principals import Principal
from governance.admin.fields import name_field, preset_field, reason_field
from governance.admin.manage import Act, ActForm, CleanedData, Done
from governance.edits import policies, promotion_rules
from governance.identity import agents, identities
from governance.models import (
    Agent,
    ApiKey,
    Channel,
    Edit,
    PolicyChange,
    PolicyChangeState,
    SearchLanguage,
    Sensitivity,
    Tenant,
)
from governance.models.policies import OPS
from governance.text import REMARK


class AgentForm(ActForm):
    slug = name_field("Name")
    channels = forms.MultipleChoiceField(
        choices=Channel.choices,
        initial=list(Channel.values),
        help_text="The channels that the agent may read and write.",
        widget=UnfoldAdminCheckboxSelectMultipleWidget,
    )


class KeyForm(ActForm):
    days = forms.IntegerField(
        label="Days until it expires",
        required=False,
        min_value=1,
        max_value=3650,
        help_text="Leave this empty for a key that does not expire.",
        widget=UnfoldAdminIntegerFieldWidget,
    )
    speaks_for = forms.CharField(
        label="Speaks for, one per line",
        required=False,
        max_length=20_000,
        help_text="The principals on whose behalf its requests may ask: * for all, patient:* for all of a type,"
        " patient:ada for one. Leave this empty for a key that speaks for the agent alone.",
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 2, "spellcheck": "false"}),
    )
    must_speak_for = forms.BooleanField(
        label="Each request must name a principal",
        required=False,
        help_text="A request without the header X-On-Behalf-Of is refused.",
        widget=UnfoldBooleanWidget,
    )

    def clean_speaks_for(self) -> list[str]:
        """The principals, one per line."""
        return [line.strip() for line in self.cleaned_data["speaks_for"].splitlines() if line.strip()]


class TenantForm(ActForm):
    pending_edit_days = forms.IntegerField(
        label="Days until a pending edit expires",
        min_value=identities.PENDING_DAYS.start,
        max_value=identities.PENDING_DAYS.stop - 1,
        widget=UnfoldAdminIntegerFieldWidget,
    )

    search_language = forms.ChoiceField(
        label="Language of the words",
        choices=SearchLanguage.choices,
        required=False,
        help_text="Search finds all forms of a word in this language. After a change, a background job reindexes"
        " existing records.",
        widget=UnfoldAdminSelectWidget,
    )

    hybrid_alpha = forms.FloatField(
        label="Weight of meaning in a search",
        min_value=0,
        max_value=1,
        required=False,
        help_text="From 0 (words alone) to 1 (meaning alone).",
        widget=UnfoldAdminDecimalFieldWidget,
    )

    ephemeral_hours = forms.IntegerField(
        label="Hours until ephemeral memory of an agent expires",
        min_value=identities.EPHEMERAL_HOURS.start,
        max_value=identities.EPHEMERAL_HOURS.stop - 1,
        required=False,
        widget=UnfoldAdminIntegerFieldWidget,
    )

    agent_edits_per_hour = forms.IntegerField(
        label="Edits of others' memory that an agent makes at once in an hour",
        min_value=identities.AGENT_LIMIT.start,
        max_value=identities.AGENT_LIMIT.stop - 1,
        required=False,
        help_text="Further ones wait for a person.",
        widget=UnfoldAdminIntegerFieldWidget,
    )

    agent_pending_edits = forms.IntegerField(
        label="Pending edits of an agent",
        min_value=identities.AGENT_LIMIT.start,
        max_value=identities.AGENT_LIMIT.stop - 1,
        required=False,
        help_text="Further ones are refused.",
        widget=UnfoldAdminIntegerFieldWidget,
    )

    def __init__(self, data: Any = None, *, row: Any = None, principal: Principal) -> None:
        super().__init__(data, row=row, principal=principal)
        self.fields["agent_edits_per_hour"].initial = row.agent_edits_per_hour
        self.fields["agent_pending_edits"].initial = row.agent_pending_edits
        self.fields["ephemeral_hours"].initial = row.ephemeral_hours
        self.fields["hybrid_alpha"].initial = row.hybrid_alpha
        self.fields["pending_edit_days"].initial = row.pending_edit_days
        self.fields["search_language"].initial = row.search_language
        for channel in Channel.values:
            self.fields[channel] = forms.ChoiceField(
                label=f"Default sensitivity of new records in {channel}",
                choices=Sensitivity.choices,
                initial=row.default_sensitivities.get(channel, Sensitivity.NONE),
                widget=UnfoldAdminSelectWidget,
            )


class PolicyForm(ActForm):
    preset = preset_field()
    overrides = forms.CharField(
        label="Overrides, one per line",
        required=False,
        max_length=4000,
        help_text="Operation (or a rule for agents: decide, an agent's own decision of scope policy or global; own, its"
        " retract of its own memory that nobody else received; protected, its edit of what a person recorded or decided"
        " on, or others depend on), proposer (agent or human), approvals (0 to 2) and, optionally, the target's"
        " sensitivity: for example retract agent 2, or amend human 1 high.",
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 4}),
    )
    reason = reason_field()

    def __init__(self, data: Any = None, *, row: Any = None, principal: Principal) -> None:
        super().__init__(data, row=row, principal=principal)
        # it starts with the policy in force, so that an admin who changes one rule keeps the others
        self.fields["preset"].initial = Tenant.objects.values_list("policy", flat=True).get(id=principal.tenant_id)
        self.fields["overrides"].initial = "\n".join(
            " ".join(filter(None, [rule["op"], rule["proposer_kind"], str(rule["approvals"]), rule["sensitivity"]]))
            for rule in policies.overrides_of(principal)
        )

    def clean_overrides(self) -> list[dict[str, Any]]:
        """Parse the lines as rules. Raises ValidationError, naming the line."""
        rules: list[dict[str, Any]] = []
        for number, line in enumerate(self.cleaned_data["overrides"].splitlines(), 1):
            match line.split():
                case []:
                    continue
                case [op, kind, approvals, *rest] if (
                    op in OPS
                    and kind in Edit.ProposerKind.values
                    and approvals in ("0", "1", "2")
                    and (not rest or (len(rest) == 1 and rest[0] in Sensitivity.values))
                ):
                    sensitivity = rest[0] if rest else None
                    rules.append(
                        {"op": op, "proposer_kind": kind, "sensitivity": sensitivity, "approvals": int(approvals)}
                    )
                case _:
                    raise forms.ValidationError(f"Line {number} is not a rule: {line!r}.")
        if len(rules) > 60:
            raise forms.ValidationError("Enter at most 60 rules.")
        return rules


def _threshold_field(one: promotion_rules.Threshold, value: Any) -> forms.Field:
    """The field of a threshold, with the value in force."""
    shown: dict[str, Any] = {"label": one.label, "initial": value, "help_text": one.meaning}
    shown |= {"min_value": one.least, "max_value": one.most}
    if one.is_share:
        return forms.DecimalField(max_digits=5, decimal_places=4, widget=UnfoldAdminDecimalFieldWidget(), **shown)
    return forms.IntegerField(widget=UnfoldAdminIntegerFieldWidget(), **shown)


class PromotionForm(ActForm):
    """The promotion thresholds in force. Only changed ones are proposed."""

    promoting_agents = forms.CharField(
        label="Agents that may promote by hand, one per line",
        required=False,
        max_length=20_000,
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 3}),
    )
    reason = reason_field()

    def __init__(self, data: Any = None, *, row: Any = None, principal: Principal) -> None:
        super().__init__(data, row=row, principal=principal)
        self.in_force = promotion_rules.rules_of(principal.tenant_id)
        for one in promotion_rules.THRESHOLDS:
            self.fields[one.name] = _threshold_field(one, self.in_force[one.name])
        self.fields[promotion_rules.PROMOTING_AGENTS].initial = "\n".join(self.in_force["promoting_agents"])
        self.order_fields([*(one.name for one in promotion_rules.THRESHOLDS), "promoting_agents", "reason"])

    def clean_promoting_agents(self) -> list[str]:
        """The names, one per line."""
        return [line.strip() for line in self.cleaned_data["promoting_agents"].splitlines() if line.strip()]

    def clean(self) -> dict[str, Any]:
        """The reason, and the thresholds that differ from those in force. Raises ValidationError if none does."""
        given: dict[str, Any] = {**(super().clean() or {})}
        if self.errors:
            return given
        shares = {one.name for one in promotion_rules.THRESHOLDS if one.is_share}
        values: dict[str, Any] = {name: float(given[name]) if name in shares else given[name] for name in self.in_force}
        values[promotion_rules.PROMOTING_AGENTS] = sorted(set(given[promotion_rules.PROMOTING_AGENTS]))
        changed = {name: value for name, value in values.items() if value != self.in_force[name]}
        if not changed:
            raise forms.ValidationError("These are the thresholds in force. Change at least one.")
        return {"promotion": changed, "reason": given["reason"]}


class ReasonForm(ActForm):
    reason = reason_field(REMARK)


def _make_agent(principal: Principal, row: Any, data: CleanedData) -> Done:
    agent = agents.create_agent(data["slug"], data["channels"], actor=principal)
    return Done(f"Agent {agent.slug} was created. It has no key yet. Issue one on its page.")


def _deactivate(principal: Principal, agent: Agent, data: CleanedData) -> Done:
    agents.deactivate_agent(agent, actor=principal)
    return Done(f"Agent {agent.slug} is deactivated.")


def _activate(principal: Principal, agent: Agent, data: CleanedData) -> Done:
    agents.activate_agent(agent, actor=principal)
    return Done(f"Agent {agent.slug} is active again.")


def _allow_quarantined(principal: Principal, agent: Agent, data: CleanedData) -> Done:
    agents.set_quarantine_reader(agent, is_allowed=True, actor=principal)
    return Done(f"Agent {agent.slug} can now read quarantined memory.")


def _refuse_quarantined(principal: Principal, agent: Agent, data: CleanedData) -> Done:
    agents.set_quarantine_reader(agent, is_allowed=False, actor=principal)
    return Done(f"Agent {agent.slug} can no longer read quarantined memory.")


def _issue(principal: Principal, agent: Agent, data: CleanedData) -> Done:
    days = data["days"]
    expires_at = timezone.now() + timedelta(days=days) if days else None
    key = identities.issue_key(
        actor=principal,
        agent=agent,
        expires_at=expires_at,
        speaks_for=data["speaks_for"],
        must_speak_for=data["must_speak_for"],
    )
    return Done(f"New key of agent {agent.slug}.", key)


def _revoke(principal: Principal, key: ApiKey, data: CleanedData) -> Done:
    identities.revoke_key(key.prefix, actor=principal)
    return Done(f"Key {key.prefix} is revoked.")


def _rotate(principal: Principal, key: ApiKey, data: CleanedData) -> Done:
    new = identities.rotate_key(key.prefix, actor=principal)
    return Done(f"Key {key.prefix} is revoked and replaced by this one.", new)


def _change_tenant(principal: Principal, row: Any, data: CleanedData) -> Done:
    identities.change_tenant(
        pending_edit_days=data["pending_edit_days"],
        default_sensitivities={channel: data[channel] for channel in Channel.values},
        search_language=data["search_language"] or None,
        hybrid_alpha=data["hybrid_alpha"],
        ephemeral_hours=data["ephemeral_hours"],
        agent_edits_per_hour=data["agent_edits_per_hour"],
        agent_pending_edits=data["agent_pending_edits"],
        actor=principal,
    )
    return Done("The settings were changed.")


def _change_policy(principal: Principal, row: Any, data: CleanedData) -> Done:
    change = policies.propose_change(actor=principal, **data)
    if due := change.state.takes_effect_at:
        return Done(
            f"The change weakens the policy in force. It takes effect at {due:%Y-%m-%d %H:%M} UTC, unless another admin"
            " applies it sooner or an admin rejects it."
        )
    if change.needs_second:
        return Done("The change waits for a second admin: the policy in force is strict.")
    if change.promotion:
        return Done("The promotion thresholds were changed. A job reevaluates all memory.")
    return Done(f"The policy is now {change.preset}.")


def _apply_change(principal: Principal, change: PolicyChange, data: CleanedData) -> Done:
    policies.decide_change(change.id, actor=principal, apply=True, reason=data["reason"])
    if change.promotion:
        return Done("The promotion thresholds were changed. A job reevaluates all memory.")
    return Done(f"The policy is now {change.preset}.")


def _reject_change(principal: Principal, change: PolicyChange, data: CleanedData) -> Done:
    policies.decide_change(change.id, actor=principal, apply=False, reason=data["reason"])
    return Done("The change was rejected. The policy stays as it is.")


def _is_live(key: ApiKey, principal: Principal) -> bool:
    return key.revoked_at is None


def _is_rotatable(key: ApiKey, principal: Principal) -> bool:
    owned = key.agent.is_active if key.agent else key.user_id == principal.id
    return key.revoked_at is None and owned


def _is_pending(change: PolicyChange, principal: Principal) -> bool:
    return change.state.status == PolicyChangeState.Status.PENDING


def _is_of_another(change: PolicyChange, principal: Principal) -> bool:
    return _is_pending(change, principal) and not (change.needs_second and change.proposed_by == principal.id)


MAKE_AGENT = Act("make", "Create an agent", "An agent uses its keys to record and read memory.", _make_agent, AgentForm)
DEACTIVATE = Act(
    "deactivate",
    "Deactivate",
    "From now on, its keys are refused. Its records stay. You can activate it again.",
    _deactivate,
    applies=lambda agent, _: agent.is_active,
    is_destructive=True,
)
ACTIVATE = Act(
    "activate",
    "Activate",
    "The agent can use its existing keys again.",
    _activate,
    applies=lambda agent, _: not agent.is_active,
)
ALLOW_QUARANTINED = Act(
    "allow-quarantined",
    "Allow to read quarantined memory",
    "If the agent asks with include_quarantined, answers include quarantined memory, marked.",
    _allow_quarantined,
    applies=lambda agent, _: agent.is_active and not agent.reads_quarantined,
)
REFUSE_QUARANTINED = Act(
    "refuse-quarantined",
    "Forbid to read quarantined memory",
    "From now on, the agent gets no quarantined memory.",
    _refuse_quarantined,
    applies=lambda agent, _: agent.reads_quarantined,
)
ISSUE_KEY = Act(
    "issue-key",
    "Issue a key",
    "The next page shows the key once. You cannot see it again later.",
    _issue,
    KeyForm,
    applies=lambda agent, _: agent.is_active,
)
REVOKE = Act(
    "revoke",
    "Revoke",
    "From now on, the key is refused. You cannot undo this.",
    _revoke,
    applies=_is_live,
    is_destructive=True,
)
ROTATE = Act(
    "rotate",
    "Rotate",
    "The key is revoked, and its owner gets a new one with the same expiry, which speaks for the same principals."
    " The next page shows the new key once.",
    _rotate,
    applies=_is_rotatable,
    is_destructive=True,
)
CHANGE_TENANT = Act(
    "settings",
    "Change settings",
    "A pending edit expires if nobody decides it within this number of days. New records without a sensitivity get the"
    " default of their channel; existing records keep theirs.",
    _change_tenant,
    TenantForm,
)
CHANGE_POLICY = Act(
    "propose",
    "Change the policy",
    "Edits that are already proposed keep the policy under which they were proposed. A stricter policy applies at once."
    " One that requires fewer approvals anywhere waits for a second admin, or takes effect after an hour; all members"
    " see it on their home page. Under strict, a second admin must decide every change.",
    _change_policy,
    PolicyForm,
)
CHANGE_PROMOTION = Act(
    "change-promotion",
    "Change thresholds",
    "When memory moves from task to session, to longterm and to archive. A change that promotes memory sooner, or lets"
    " more agents promote it, waits for a second admin, or takes effect after an hour. Under strict, a second admin"
    " must decide every change. Afterwards, a job reevaluates all memory.",
    _change_policy,
    PromotionForm,
)
APPLY_CHANGE = Act("apply", "Apply", "The policy changes at once.", _apply_change, ReasonForm, applies=_is_of_another)
REJECT_CHANGE = Act(
    "reject",
    "Reject",
    "The policy does not change.",
    _reject_change,
    ReasonForm,
    applies=_is_pending,
    is_destructive=True,
)
