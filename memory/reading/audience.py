"""Who is listening to an answer, and what they may hear (docs/effective-memory.md)."""

from dataclasses import dataclass

from django.contrib.postgres.fields import ArrayField
from django.db.models import Expression, F, Func, TextField, Value
from django.db.models.lookups import IsNull

from governance.identity.principals import Principal, sensitivities_for


@dataclass(frozen=True, slots=True)
class Audience:
    """`listening`: a block for any of these hides a chunk. `sensitivities`: what all of them may hear."""

    listening: list[str]
    sensitivities: list[str]


def audience(principal: Principal, channel: str | None) -> Audience:
    """The audience of a request: one channel, or all that the key speaks in, where none is named.

    Leaving the channel out must not go around a block, so then the most restrictive answer holds. Raises
    ChannelNotAllowed for a channel outside the key's.
    """
    if channel is not None:
        principal.require_channel(channel)
    listening = principal.channels if channel is None else (channel,)
    return Audience(list(listening), list(sensitivities_for(listening)))


def audience_anywhere(principal: Principal) -> Audience:
    """Every channel that `principal` speaks in, and what at least one of them may hear: for records of its own about
    a memory, which it reads without a channel."""
    heard = {sensitivity for channel in principal.channels for sensitivity in sensitivities_for((channel,))}
    return Audience(list(principal.channels), sorted(heard))


def why_hidden(who: Audience, is_superseded: Expression | None = None) -> Func:
    """SQL function `why_hidden` of an effective chunk, decision, task or capsule: NULL where `who` gets it without
    asking for quarantined ones. Of chunks, `is_superseded` is theirs; the others have none."""
    return _why_hidden(who, F("is_retracted"), is_superseded or Value(False), Value(False))


def is_heard(who: Audience) -> IsNull:
    """Whether `who` may hear an effective record: whether neither its sensitivity nor a block is in the way."""
    return IsNull(_why_hidden(who, Value(False), Value(False), Value(True)), True)


def _why_hidden(who: Audience, is_retracted: F | Value, is_superseded: Expression, include_quarantined: Value) -> Func:
    names = ArrayField(TextField())
    return Func(
        is_retracted,
        is_superseded,
        F("blocked_channels"),
        F("is_quarantined"),
        F("sensitivity"),
        Value(who.listening, output_field=names),
        Value(who.sensitivities, output_field=names),
        include_quarantined,
        function="why_hidden",
        output_field=TextField(null=True),
    )
