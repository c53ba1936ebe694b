"""Who is listening to an answer, and what they may hear (docs/effective-memory.md)."""

from dataclasses import dataclass

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
