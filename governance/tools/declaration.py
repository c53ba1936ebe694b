"""The declaration of a tool."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from rest_framework import serializers

from governance.acting.principals import Principal
from governance.inputs import StrictSerializer


class NoArguments(StrictSerializer):
    """The arguments of a tool without arguments."""


@dataclass(frozen=True, slots=True, eq=False)
class Tool:
    """One tool: its description for models, its arguments, its answer and its function.

    `call` gets the checked arguments, with the names of `arguments`; it returns an object as described by `answer`. It
    runs in the caller's transaction, if there is one (`enters_each_statement`), and raises refusals whose pointers use
    the names of `arguments` too.
    """

    name: str
    title: str
    #: When to use it, in one or two sentences, without the example.
    description: str
    #: Example arguments, with the names of `arguments`.
    example: Mapping[str, Any]
    arguments: type[StrictSerializer]
    answer: type[serializers.Serializer[Any]]
    call: Callable[[Principal, dict[str, Any]], Mapping[str, Any]]
    #: It changes no memory: auditors may call it too. Its answer has text of memory, and is not stored for an
    #: Idempotency-Key. Answers of other tools are stored, so they have ids and statuses, but no text.
    is_read_only: bool = False
    #: It only calls read-only functions of the database: a request for it has no transaction (GovernedView).
    enters_each_statement: bool = False
    #: It may remove memory from answers, not only add to it.
    is_destructive: bool = False
    #: A second call with the same arguments changes nothing more.
    is_idempotent: bool = False
    #: The seconds to wait for a better answer, from the arguments and the answer; 0 for a final one. None for a tool
    #: that never waits. `call` itself returns at once.
    wait: Callable[[Mapping[str, Any], Mapping[str, Any]], float] | None = None
    #: How to read on where a text of the answer was cut. Its arguments have `max_tokens` (governance/tools/budget.py).
    #: None if the answer is never cut.
    read_on: str | None = None
    #: It is one of the few tools that an agent with little room needs.
    is_basic: bool = False
    #: Whether its arguments are printed as `maxTokens` rather than `max_tokens`. Both are accepted.
    is_camel_case: bool = False
