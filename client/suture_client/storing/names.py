"""A store's namespaces and keys as names that the API takes."""

from collections.abc import Iterable
from urllib.parse import quote, unquote

#: Ends each label, so that no namespace begins with another one's last label.
_END = "/"
_ERRORS = "surrogatepass"


def encoded(text: str) -> str:
    """A label or key without control characters and slashes, which are percent-encoded."""
    return "".join(
        one if one.isprintable() and one not in "/%" else quote(one, safe="", errors=_ERRORS) for one in text
    )


def decoded(name: str) -> str:
    """The label or key with this name."""
    return unquote(name, errors=_ERRORS)


def subject_of(namespace: Iterable[str]) -> str:
    """The id of a namespace's subject: ("users", "ada") is users/ada/."""
    return "".join(f"{encoded(label)}{_END}" for label in namespace)


def namespace_of(subject_id: str) -> tuple[str, ...]:
    """The namespace of a subject."""
    return tuple(decoded(label) for label in subject_id.removesuffix(_END).split(_END))
