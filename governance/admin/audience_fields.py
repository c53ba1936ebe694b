"""The fields of an audience in a form: three lists, with one name per line."""

from django import forms
from unfold.widgets import UnfoldAdminTextareaWidget

from governance.faults import Faults
from governance.relations import audience_json

#: The names of the fields.
AUDIENCE_LISTS = ("principals", "roles", "relations")


def _lines(label: str, help_text: str) -> forms.CharField:
    widget = UnfoldAdminTextareaWidget(attrs={"rows": 2})
    return forms.CharField(
        label=f"{label}, one per line", required=False, max_length=20_000, help_text=help_text, widget=widget
    )


def audience_fields() -> tuple[forms.CharField, forms.CharField, forms.CharField]:
    """The fields principals, roles and relations."""
    return (
        _lines("Principals", "type:id, such as patient:ada, or subject for the record's subject."),
        _lines("Roles", "Such as billing, for all who are a member of role:billing."),
        _lines(
            "Relations",
            "Relations to the record's subject, such as clinician_of, or to another object, such as"
            " ward:3#clinician_of.",
        ),
    )


def audience_in(form: forms.Form) -> list[str]:
    """The usersets in the cleaned fields of a form. Adds errors to the form; then do not use the result."""
    listed = {
        name: [line.strip() for line in form.cleaned_data[name].splitlines() if line.strip()] for name in AUDIENCE_LISTS
    }
    faults = Faults()
    usersets = audience_json.parse(listed, "", faults)
    for fault in faults.found:
        name = fault["pointer"].strip("/").partition("/")[0]
        form.add_error(name if name in AUDIENCE_LISTS else None, fault["detail"])
    return usersets
