"""The HTTP status of each kind of refusal, for the API and for the pages of the admin."""

from http import HTTPStatus

from governance import refusals
from governance.refusals import Refusal

#: A refusal that is an instance of a kind itself has the status's phrase as its title; a service's own refusal has the
#: `title` of its class. Both have the `code` of their class, which names the problem type.
STATUS: dict[type[Refusal], HTTPStatus] = {
    refusals.Invalid: HTTPStatus.BAD_REQUEST,
    refusals.Unauthenticated: HTTPStatus.UNAUTHORIZED,
    refusals.Forbidden: HTTPStatus.FORBIDDEN,
    refusals.NotFound: HTTPStatus.NOT_FOUND,
    refusals.Conflict: HTTPStatus.CONFLICT,
    refusals.TooMany: HTTPStatus.TOO_MANY_REQUESTS,
    refusals.TooLarge: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    refusals.Unavailable: HTTPStatus.SERVICE_UNAVAILABLE,
    refusals.Failed: HTTPStatus.INTERNAL_SERVER_ERROR,
}


def kind_of(refusal: Refusal) -> type[Refusal]:
    """The kind of `refusal`: the nearest of its classes that has a status."""
    return next((parent for parent in type(refusal).__mro__ if parent in STATUS), refusals.Invalid)


def status_of(refusal: Refusal) -> HTTPStatus:
    """The HTTP status of an answer for `refusal`."""
    return STATUS[kind_of(refusal)]
