"""The header `X-On-Behalf-Of`: the principal on whose behalf an agent asks."""

from rest_framework.request import Request

from governance.acting.principals import MalformedPrincipal, Principal, is_principal
from governance.refusals import Fault, Invalid, register_constraint

HEADER = "X-On-Behalf-Of"


class MustNamePrincipal(Invalid):
    """Each request with this key must name the principal on whose behalf it asks. Send the header X-On-Behalf-Of with
    type:id, such as patient:ada."""


register_constraint("must_name_principal", MustNamePrincipal)


def principal_named(request: Request, actor: Principal, *, is_needed: bool) -> str:
    """The principal that the header names; empty without it. Raises MalformedPrincipal, and MustNamePrincipal if
    `is_needed` and the actor's key must name one."""
    given = request.headers.get(HEADER)
    if given is None:
        if is_needed and actor.must_speak_for:
            raise MustNamePrincipal(errors=[_fault(MustNamePrincipal)])
        return ""
    try:
        name = given.encode("latin-1").decode()  # WSGI has the bytes of a header as Latin-1
    except UnicodeError:
        name = ""
    if not is_principal(name):
        raise MalformedPrincipal(errors=[_fault(MalformedPrincipal)])
    return name


def _fault(refusal: type[Invalid]) -> Fault:
    return Fault(header=HEADER, detail=refusal().detail, code=refusal.code)
