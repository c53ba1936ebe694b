"""Which requests change nothing although they are a POST, from the views that answer them."""

from collections.abc import Iterator

from django.urls import URLPattern, URLResolver, get_resolver


def paths() -> frozenset[str]:
    """The whole paths of views that only read. A path with an id in it is in none of them: its POST counts as one that
    changes something."""
    return frozenset(_paths(get_resolver().url_patterns, "/"))


def _paths(patterns: list[URLPattern | URLResolver], before: str) -> Iterator[str]:
    for one in patterns:
        path = before + str(one.pattern)
        if isinstance(one, URLResolver):
            yield from _paths(one.url_patterns, path)
        elif "<" not in path and getattr(getattr(one.callback, "cls", None), "only_reads", False):
            yield path
