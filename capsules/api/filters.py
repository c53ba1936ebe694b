"""The query parameters of the lists of capsules."""

from governance.http.filters import Parameter, ParameterFilter
from governance.inputs import BooleanField
from memory.api.filters import AudienceFilter, ScopeFilter, identifier


class CapsuleFilter(ScopeFilter, AudienceFilter):
    """The parameters of the list of capsules."""

    author = identifier()
    authored = Parameter(BooleanField(default=False, help_text="Your own capsules, in every status."))


class WarningFilter(ParameterFilter):
    """The list of warnings has no parameters beyond those of every list."""
