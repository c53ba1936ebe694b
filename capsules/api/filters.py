"""What the lists of capsules can be narrowed by."""

from governance.body import Flag
from governance.http.filters import Parameter, ParameterFilter
from memory.api.filters import AudienceFilter, ScopeFilter, identifier


class CapsuleFilter(ScopeFilter, AudienceFilter):
    """The parameters of the list of capsules."""

    author = identifier()
    authored = Parameter(Flag(), help_text="One's own capsules, in every status.")


class WarningFilter(ParameterFilter):
    """The list of warnings takes no parameter of its own."""
