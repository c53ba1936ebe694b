"""Keep what a person typed into a form that was sent after its session had ended, until the next login.

Each form contains the person who loaded it, signed by the server. So only a person who loaded a form can store a text
in a session, and only that person gets it back. Forms with passwords or codes contain no such field.
"""

from dataclasses import asdict, dataclass
from uuid import UUID

from django.contrib import messages
from django.core import signing
from django.http import HttpRequest
from django.urls import reverse
from django.utils.datastructures import MultiValueDict

from governance.text import REMARK

_SESSION_KEY = "unsent_form"
_SALT = "governance.admin.unsent"
_LASTS = 7 * 24 * 3600  # seconds
#: Edits on one page: the reviewer looks at each.
AT_MOST = 50

_VERDICTS = {"governance_edit_approve": "approve", "governance_edit_reject": "reject", "governance_edit_bulk": ""}
#: A new form has its own values of these.
_OF_ITS_FORM = {"author", "csrfmiddlewaretoken", "once"}
NOTICE = "Your session ended before this verdict was sent. Nothing was decided. Your reason is still in the form."
NOTICE_OF_FORM = "Your session ended before this form was sent. Nothing was changed. What you typed is still here."


@dataclass(frozen=True, slots=True)
class Unsent:
    """An unsent form, its author, the address of the page with the form, the values of its fields and, for a verdict,
    the verb."""

    user: str
    page: str
    fields: dict[str, list[str]]
    verb: str = ""

    @property
    def data(self) -> MultiValueDict[str, str]:
        """The values for a form of Django's."""
        return MultiValueDict(self.fields)

    @property
    def reason(self) -> str:
        """The reason of a verdict."""
        return self.data.get("reason", "")[: REMARK.max_length]

    @property
    def edits(self) -> list[str]:
        """The ids of the edits on the page of several."""
        return [item.split(":")[0] for item in self.fields.get("seen", [])[:AT_MOST]]


def author_token(user_id: UUID) -> str:
    """The signed person who loads a form, for its field `author`."""
    return signing.dumps(str(user_id), salt=_SALT)


def keep(request: HttpRequest) -> str | None:
    """Store the form that `request` posts; returns the address that shows it again, or None for any other request and
    for a form that we did not sign."""
    match = request.resolver_match
    if request.method != "POST" or match is None:
        return None
    try:
        user = signing.loads(request.POST.get("author", ""), salt=_SALT, max_age=_LASTS)
    except signing.BadSignature:
        return None
    fields = {name: values for name, values in request.POST.lists() if name not in _OF_ITS_FORM}
    page, verb = request.path, ""
    if match.url_name in _VERDICTS:
        verb = _VERDICTS[match.url_name] or request.POST.get("verb", "")
        one = match.kwargs.get("edit_id")
        page = reverse("admin:governance_edit_change", args=[one]) if one else reverse("admin:governance_edit_bulk")
    request.session[_SESSION_KEY] = asdict(Unsent(user, page, fields, verb))
    return page


def take(request: HttpRequest) -> Unsent | None:
    """Return the unsent form of this session's person for this page, once, and add a message about it."""
    kept = request.session.get(_SESSION_KEY)
    if not kept or request.method != "GET" or kept["page"] != request.path:
        return None
    del request.session[_SESSION_KEY]
    if kept["user"] != str(request.user.pk):
        return None
    unsent = Unsent(**kept)
    messages.warning(request, NOTICE if unsent.verb else NOTICE_OF_FORM)
    return unsent
