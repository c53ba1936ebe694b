"""The audience of a request: its channels, and the labels of memory that they may read (docs/effective-memory.md)."""

import uuid
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from django.contrib.postgres.fields import ArrayField
from django.db.models import BooleanField, Expression, F, Func, IntegerField, TextField, UUIDField, Value

from governance.acting import gate
from governance.acting.principals import Principal, sensitivities_for
from governance.models import Channel

#: The channel of a record, and the value for a record without one.
RECORDED_IN, NO_CHANNEL = F("channel"), Value("")
#: The audience of a record, and the value for a record that has none.
HEARD_BY, NOT_NAMED = F("audience"), Value(None, output_field=ArrayField(IntegerField()))


#: The channels from the most open to the most private.
OPENNESS = (Channel.PUBLIC, Channel.AGENT, Channel.TEAM, Channel.PRIVATE)


@dataclass(frozen=True, slots=True)
class Audience:
    """`listening`: the channels; a block in any of them hides a memory. `labels`: the channels of the key, and the
    sensitivities that one of `listening` allows, after the reader's own label (sensitivities_heard in the database)."""

    tenant_id: uuid.UUID
    listening: list[str]
    labels: list[str]

    @property
    def reader(self) -> Func:
        """The reader for SQL: the labels, and the audiences that the actor of the transaction hears. As a subquery, so
        that it is evaluated once a statement."""
        return Func(
            Value(self.tenant_id, output_field=UUIDField()),
            Value(self.labels, output_field=ArrayField(TextField())),
            template="(SELECT reader_with(%(expressions)s))",
            output_field=TextField(),
        )


def audience(principal: Principal, channel: str | None, *, include_quarantined: bool = False) -> Audience:
    """The audience of a request: the given channel, or all channels that the key allows if it is None.

    A request without a channel gets all memory that the key may read in one of its channels; but a block in any of them
    hides a memory, so that nobody can avoid a block by leaving the channel out.
    Raises ChannelNotAllowed for a channel that the key does not allow, and with `include_quarantined`
    QuarantineNotAllowed for an agent that may not read quarantined memory.
    """
    if include_quarantined:
        principal.require_quarantine_reader()
    if channel is not None:
        principal.require_channel(channel)
    listening = principal.channels if channel is None else (channel,)
    return Audience(
        principal.tenant_id, list(listening), [_label(principal), *principal.channels, *sensitivities_for(listening)]
    )


@contextmanager
def assembling(principal: Principal, channel: str | None, also_from: Collection[str] = ()) -> Iterator[Principal]:
    """Let `principal` read, within the open transaction, what may be assembled for `channel`: memory recorded in
    channels that are at least as open, and in those of `also_from`. Yields the principal with these channels. Without
    a channel, everything that the key allows.

    Raises ChannelNotAllowed.
    """
    for place, one in enumerate(also_from):
        principal.require_channel(one, f"/also_from/{place}")
    if channel is None:
        yield principal
        return
    principal.require_channel(channel)
    open_enough = OPENNESS[: OPENNESS.index(Channel(channel)) + 1]
    with gate.only_channels(principal, {*open_enough, *also_from}) as reader:
        yield reader


def _label(principal: Principal) -> str:
    """The reader itself, for records that are blocked for one reader."""
    return f"{principal.kind}:{principal.id}"


def why_hidden(
    who: Audience,
    is_superseded: Expression | None = None,
    channel: F | Value = RECORDED_IN,
    heard_by: F | Value = HEARD_BY,
) -> Func:
    """SQL function `why_hidden` of an effective chunk, decision, task or capsule: NULL if `who` gets it without
    `include_quarantined`. Only chunks have `is_superseded`; the `channel` of a capsule is NO_CHANNEL, and it has no
    audience of its own: NOT_NAMED."""
    return Func(
        heard_by,
        F("is_retracted"),
        is_superseded or Value(False),
        F("blocked_channels"),
        F("is_quarantined"),
        channel,
        F("sensitivity"),
        Value(who.listening, output_field=ArrayField(TextField())),
        who.reader,
        Value(False),
        function="why_hidden",
        output_field=TextField(null=True),
    )


def hears(who: Audience) -> Func:
    """SQL function `hears` of a record with the column `audience`: whether `who` hears it."""
    return Func(who.reader, HEARD_BY, function="hears", output_field=BooleanField())


def hears_event(who: Audience) -> Func:
    """SQL function `hears_event` of an event: whether `who` hears the audience of its chunks."""
    return Func(who.reader, F("tenant_id"), F("id"), function="hears_event", output_field=BooleanField())
