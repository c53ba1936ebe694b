"""The query parameters of the lists of capsules."""

from governance.body import Flag
from governance.http.filters import Parameter, ParameterFilter
from memory.api.filters import AudienceFilter, ScopeFilter, identifier


class CapsuleFilter(ScopeFilter, AudienceFilter):
    """The parameters of the list of capsules."""

    author = identifier()
    authored = Parameter(Flag(), help_text="Your own capsules, in every status.")


class WarningFilter(ParameterFilter):
    """The list of warnings has no parameters beyond those of every list."""
