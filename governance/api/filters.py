"""The filters of the list of edits."""

from typing import Any

from django.db.models import QuerySet

from governance import text
from governance.acting.principals import Principal
from governance.body import Choice, Identity, Moment, Text
from governance.edits import provenance, targets
from governance.http.filters import Parameter, ParameterFilter
from governance.models import Edit, EditState


def _target_types() -> list[tuple[str, str]]:
    """The kinds that are registered when the parameter is read."""
    return [(name, name) for name in targets.names()]


class EditFilter(ParameterFilter):
    """The parameters of the list of edits."""

    status = Parameter(Choice(EditState.Status.choices, required=False), field_name="state__status")
    target_type = Parameter(Choice(_target_types, required=False))
    target_id = Parameter(Identity(required=False))
    op = Parameter(Choice(Edit.Op.choices, required=False))
    proposed_by = Parameter(Choice(Edit.ProposerKind.choices, required=False), field_name="proposer_kind")
    batch_id = Parameter(Identity(required=False))
    scope = Parameter(Choice(provenance.scopes, required=False), method="about", help_text="Edits whose target has it.")
    subject_type = Parameter(
        Text(text.IDENTIFIER, required=False), method="about", help_text="Edits whose target is about such a subject."
    )
    subject_id = Parameter(
        Text(text.IDENTIFIER, required=False), method="about", help_text="Edits whose target is about this subject."
    )
    project_id = Parameter(
        Text(text.IDENTIFIER, required=False), method="about", help_text="Edits whose target belongs to this project."
    )
    since = Parameter(
        Moment(required=False),
        field_name="created_at",
        lookup_expr="gte",
        help_text="Edits proposed at this time or later.",
    )
    until = Parameter(
        Moment(required=False), field_name="created_at", lookup_expr="lt", help_text="Edits proposed before this time."
    )

    def about(self, rows: QuerySet[Any], name: str, value: str) -> QuerySet[Any]:
        """Edits of what is about a scope, a subject or a project: the first of the parameters asks for all of them."""
        named = {one: self.values[one] for one in ("scope", "subject_type", "subject_id", "project_id")}
        if name != next(one for one, wanted in named.items() if wanted):
            return rows
        about = provenance.About(
            named["scope"] or "", named["subject_type"] or "", named["subject_id"] or "", named["project_id"] or ""
        )
        principal: Principal = self.request.user
        return rows.filter(provenance.targets_about(principal, about))
