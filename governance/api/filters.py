"""The filters of the list of edits."""

from typing import Any

from django.db.models import QuerySet

from governance import text
from governance.acting.principals import Principal
from governance.edits import provenance, targets
from governance.http.filters import Parameter, ParameterFilter
from governance.inputs import ChoiceField, IdField, InstantField, TextField
from governance.models import Edit, EditState


def _target_types() -> list[tuple[str, str]]:
    """The registered kinds, evaluated when the parameter is read."""
    return [(name, name) for name in targets.names()]


class EditFilter(ParameterFilter):
    """The parameters of the list of edits."""

    status = Parameter(ChoiceField(EditState.Status.choices, required=False), field_name="state__status")
    target_type = Parameter(ChoiceField(_target_types, required=False))
    target_id = Parameter(IdField(required=False))
    op = Parameter(ChoiceField(Edit.Op.choices, required=False))
    proposed_by = Parameter(ChoiceField(Edit.ProposerKind.choices, required=False), field_name="proposer_kind")
    batch_id = Parameter(IdField(required=False))
    scope = Parameter(
        ChoiceField(provenance.scopes, required=False, help_text="Edits whose target has this scope."), method="about"
    )
    subject_type = Parameter(
        TextField(text.IDENTIFIER, required=False, help_text="Edits whose target has this subject type."),
        method="about",
    )
    subject_id = Parameter(
        TextField(text.IDENTIFIER, required=False, help_text="Edits whose target is about this subject."),
        method="about",
    )
    project_id = Parameter(
        TextField(text.IDENTIFIER, required=False, help_text="Edits whose target belongs to this project."),
        method="about",
    )
    since = Parameter(
        InstantField(required=False, help_text="Edits proposed at this time or later."),
        field_name="created_at",
        lookup_expr="gte",
    )
    until = Parameter(
        InstantField(required=False, help_text="Edits proposed before this time."),
        field_name="created_at",
        lookup_expr="lt",
    )

    def about(self, rows: QuerySet[Any], name: str, value: str) -> QuerySet[Any]:
        """Filter by scope, subject and project; the first of these parameters handles all of them."""
        named = {one: self.values[one] for one in ("scope", "subject_type", "subject_id", "project_id")}
        if name != next(one for one, wanted in named.items() if wanted):
            return rows
        about = provenance.About(
            named["scope"] or "", named["subject_type"] or "", named["subject_id"] or "", named["project_id"] or ""
        )
        principal: Principal = self.request.user
        return rows.filter(provenance.targets_about(principal, about))
