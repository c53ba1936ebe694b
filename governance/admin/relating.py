"""Actions on relations, implied relations and audience rules. Each is one call of a service."""

from typing import Any

from django import forms
from django.template.defaultfilters import pluralize
from unfold.widgets import (
    UnfoldAdminFileFieldWidget,
    UnfoldAdminSplitDateTimeWidget,
    UnfoldAdminTextInputWidget,
)

from governance.acting.principals import Principal
from governance.admin.audience_fields import audience_fields, audience_in
from governance.admin.fields import TextField, reason_field
from governance.admin.manage import Act, ActForm, CleanedData, Done
from governance.models import AudienceRule, ImpliedRelation, RelationTuple
from governance.relations import adding, implying, importing, revoking, rules
from governance.relations.authority import may_relate
from governance.relations.drafts import RelationDraft
from governance.relations.unused_names import Notice
from governance.text import TextRule

_AS_TYPED = {"autocapitalize": "off", "spellcheck": "false", "autocomplete": "off"}


def _line(label: str, help_text: str, *, length: int = 251, required: bool = True) -> TextField:
    widget = UnfoldAdminTextInputWidget(attrs=_AS_TYPED)
    return TextField(TextRule(length), label=label, strip=True, required=required, help_text=help_text, widget=widget)


def _moment(label: str, help_text: str) -> forms.SplitDateTimeField:
    return forms.SplitDateTimeField(
        label=f"{label} (UTC)", required=False, help_text=help_text, widget=UnfoldAdminSplitDateTimeWidget
    )


class RelationForm(ActForm):
    principal = _line(  # type: ignore[assignment] # a field, which Django moves out of the attributes
        "Principal", "Who stands in the relation: type:id, such as user:charlie."
    )
    relation = _line("Relation", "Its name, such as clinician_of.", length=50)
    object = _line("Object", "To what: type:id, such as patient:ada.")
    valid_from = _moment("Valid from", "Leave this empty for now.")
    valid_until = _moment("Valid until", "Leave this empty for a relation without an end.")
    reason = reason_field()


class RevocationForm(ActForm):
    reason = reason_field()


class ImportForm(ActForm):
    file = forms.FileField(
        label="CSV file",
        help_text="In UTF-8, with a first line that names its columns: principal, relation, object, reason and, if you"
        " need them, valid_from and valid_until. At most 1,000 relations.",
        widget=UnfoldAdminFileFieldWidget(attrs={"accept": ".csv,text/csv"}),
    )


class ImpliedForm(ActForm):
    object_type = _line("Type of the objects", "Such as patient.", length=50)
    relation = _line("Relation", "Who stands in this relation to such an object, such as clinician_of,", length=50)
    implies = _line("Implies", "also stands in this one to it, such as covering.", length=50)


class RuleForm(ActForm):
    subject_type = _line("Subject type", "For records about subjects of this type.", length=50, required=False)
    tag = _line("Tag", "For records with this tag.", length=200, required=False)
    kind = _line("Kind", "For records of this kind.", length=200, required=False)
    principals, roles, relations = audience_fields()
    reason = reason_field()

    def clean(self) -> dict[str, Any]:
        """Read the three lists as one audience. Raises ValidationError."""
        given: dict[str, Any] = {**(super().clean() or {})}
        if self.errors:
            return given
        return {**given, "usersets": audience_in(self)}


def _told(notices: list[Notice]) -> str:
    return "".join(f" {one.detail}" for one in notices)


def _add(principal: Principal, row: Any, data: CleanedData) -> Done:
    added = adding.add_relation(RelationDraft(**data), actor=principal)
    return Done(f"{data['principal']} is now {data['relation']} {data['object']}.{_told(added.notices)}")


def _import(principal: Principal, row: Any, data: CleanedData) -> Done:
    made = importing.import_relations(data["file"].read(), actor=principal)
    return Done(f"{made.relations:,} relation{pluralize(made.relations)} were added.{_told(made.notices)}")


def _revoke(principal: Principal, relation: RelationTuple, data: CleanedData) -> Done:
    revoking.revoke_relation(relation.id, actor=principal, reason=data["reason"])
    return Done(f"The relation is revoked: {relation}.")


def _imply(principal: Principal, row: Any, data: CleanedData) -> Done:
    implying.add_implied_relation(**data, actor=principal)
    return Done(f"For every {data['object_type']}, {data['relation']} now implies {data['implies']}.")


def _remove_implied(principal: Principal, implied: ImpliedRelation, data: CleanedData) -> Done:
    implying.remove_implied_relation(implied.id, actor=principal)
    return Done(f"Removed: {implied}.", next_url=_list_of(implied))


def _set_rule(principal: Principal, row: Any, data: CleanedData) -> Done:
    conditions = rules.Conditions(data["subject_type"], data["tag"], data["kind"])
    rules.set_audience_rule(conditions, data["usersets"], actor=principal, reason=data["reason"])
    return Done("The rule applies to records made from now on.")


def _remove_rule(principal: Principal, rule: AudienceRule, data: CleanedData) -> Done:
    rules.remove_audience_rule(rule.id, actor=principal)
    return Done("The rule was removed. Records keep their audience.", next_url=_list_of(rule))


def _list_of(row: ImpliedRelation | AudienceRule) -> str:
    return f"/admin/governance/{row._meta.model_name}/"


def _is_unrevoked(relation: RelationTuple, principal: Principal) -> bool:
    return not getattr(relation, "is_revoked", False)


ADD = Act(
    "relate",
    "Add a relation",
    "A principal stands in a relation to an object. Whoever asks on its behalf then hears what is for that relation.",
    _add,
    RelationForm,
    may=may_relate,
)
IMPORT = Act(
    "import",
    "Import CSV",
    "All relations of the file are added, or none. If a line is wrong, the page names it.",
    _import,
    ImportForm,
    may=may_relate,
)
REVOKE = Act(
    "revoke",
    "Revoke",
    "The relation ends now, for good. It stays in the list. You can add it again.",
    _revoke,
    RevocationForm,
    applies=_is_unrevoked,
    is_destructive=True,
    may=may_relate,
)
IMPLY = Act(
    "imply",
    "Add an implied relation",
    "Everyone who stands in one relation to an object of a type also stands in another one to it. What is implied"
    " implies nothing more.",
    _imply,
    ImpliedForm,
)
REMOVE_IMPLIED = Act(
    "remove",
    "Remove",
    "From the next request on, the one relation no longer implies the other.",
    _remove_implied,
    is_destructive=True,
)
SET_RULE = Act(
    "set",
    "Set a rule",
    "The audience of new records that match and name none. An empty condition matches all. It replaces the rule for the"
    " same conditions. Of several rules that match, the one with the most conditions applies.",
    _set_rule,
    RuleForm,
)
REMOVE_RULE = Act(
    "remove", "Remove", "Records made from now on no longer get this audience.", _remove_rule, is_destructive=True
)
