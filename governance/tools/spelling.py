"""The two spellings of an argument's name, camelCase and snake_case."""

import re


def camel_case(name: str) -> str:
    """`max_tokens` as `maxTokens`."""
    return re.sub(r"_([a-z0-9])", lambda found: found[1].upper(), name)


def snake_case(name: str) -> str:
    """`maxTokens` as `max_tokens`."""
    return re.sub(r"(?<=[a-z0-9])[A-Z]", lambda found: f"_{found[0].lower()}", name)


def spelled(name: str, *, in_camel_case: bool) -> str:
    """The name of a snake_case argument in a tool's spelling."""
    return camel_case(name) if in_camel_case else name
