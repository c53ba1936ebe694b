"""The base of every view of the API."""

from rest_framework.views import APIView

from governance.http.permissions import MayWrite
from governance.principals import Principal


class GovernedView(APIView):
    """A view for whoever holds a key: anyone reads, auditors change nothing. `only_reads` marks a reading POST."""

    permission_classes = [MayWrite]
    only_reads = False

    @property
    def principal(self) -> Principal:
        """Who acts, from the credential. Authentication has let nobody else get here."""
        principal = self.request.user
        if not isinstance(principal, Principal):
            raise TypeError("a governed view was reached without a principal")
        return principal
