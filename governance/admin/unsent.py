"""Keep the reason of a verdict that was sent after its session had ended, until the next login.

The form of a verdict contains the person who loaded it, signed by the server. So only a person who loaded a form can
store a text in a session, and only that person gets it back.
"""

from dataclasses import asdict, dataclass

from django.contrib import messages
from django.core import signing
from django.http import HttpRequest
from django.urls import reverse

from governance.acting.principals import Principal
from governance.text import REMARK

_SESSION_KEY = "unsent_verdict"
_SALT = "governance.admin.unsent"
_LASTS = 7 * 24 * 3600  # seconds
#: Edits on one page: the reviewer looks at each.
AT_MOST = 50

_VERBS = {"governance_edit_approve": "approve", "governance_edit_reject": "reject", "governance_edit_bulk": ""}
NOTICE = "Your session ended before this verdict was sent. Nothing was decided. Your reason is still in the form."


@dataclass(frozen=True, slots=True)
class Unsent:
    """An unsent verdict, its author and the address of the page with its form; `edits` are the ids on a bulk page."""

    user: str
    page: str
    verb: str
    reason: str
    edits: list[str]


def author_token(principal: Principal) -> str:
    """The signed person who loads a verdict's form, for a field of that form."""
    return signing.dumps(str(principal.id), salt=_SALT)


def keep(request: HttpRequest) -> str | None:
    """Store the verdict that `request` posts; returns the address that shows it again, or None for any other request
    and for a form that we did not sign."""
    match = request.resolver_match
    if request.method != "POST" or match is None or match.url_name not in _VERBS:
        return None
    try:
        user = signing.loads(request.POST.get("author", ""), salt=_SALT, max_age=_LASTS)
    except signing.BadSignature:
        return None
    one = match.kwargs.get("edit_id")
    page = reverse("admin:governance_edit_change", args=[one]) if one else reverse("admin:governance_edit_bulk")
    edits = [item.split(":")[0] for item in request.POST.getlist("seen")[:AT_MOST]]
    reason = request.POST.get("reason", "")[: REMARK.max_length]
    verb = _VERBS[match.url_name] or request.POST.get("verb", "")[:10]
    request.session[_SESSION_KEY] = asdict(Unsent(user, page, verb, reason, edits))
    return page


def take(request: HttpRequest) -> Unsent | None:
    """Return the unsent verdict of this session's person for this page, once, and add a message about it."""
    kept = request.session.get(_SESSION_KEY)
    if not kept or kept["user"] != str(request.user.pk) or kept["page"] != request.path:
        return None
    del request.session[_SESSION_KEY]
    messages.warning(request, NOTICE)
    return Unsent(**kept)
