"""What a tool is."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from rest_framework import serializers

from governance.acting.principals import Principal
from governance.inputs import StrictSerializer


class NoArguments(StrictSerializer):
    """The arguments of a tool that takes none."""


@dataclass(frozen=True, slots=True, eq=False)
class Tool:
    """One tool: its description for models, its arguments, its answer, and the function that does it.

    `call` gets the arguments, checked, by the names of `arguments`; it answers what `answer` describes, always an
    object. It runs in the caller's transaction, unless it has none (`enters_each_statement`), and raises refusals,
    whose pointers have the names of `arguments` too.
    """

    name: str
    title: str
    #: When to use it, in one or two sentences. The example is added to it.
    description: str
    #: Arguments of a call, by the names of `arguments`.
    example: Mapping[str, Any]
    arguments: type[StrictSerializer]
    answer: type[serializers.Serializer[Any]]
    call: Callable[[Principal, dict[str, Any]], Mapping[str, Any]]
    #: It changes no memory: auditors may call it too. Its answer has words of memory, and is not kept for an
    #: Idempotency-Key. The answer of any other tool is kept: ids and statuses, never words.
    is_read_only: bool = False
    #: It only calls reading functions of the database: a request for it has no transaction (GovernedView).
    enters_each_statement: bool = False
    #: It may take something away from readers, rather than only add to what they get.
    is_destructive: bool = False
    #: A second call with the same arguments changes nothing more.
    is_idempotent: bool = False
    #: How many seconds a better answer is worth waiting for, by the arguments and the answer; 0 for a final one. None
    #: for a tool that never waits. `call` itself answers at once.
    wait: Callable[[Mapping[str, Any], Mapping[str, Any]], float] | None = None
    #: Whether its arguments are printed as `maxTokens` rather than `max_tokens`. Both are accepted.
    is_camel_case: bool = False
