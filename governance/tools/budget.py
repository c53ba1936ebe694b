"""The budget of a tool's answer: texts that do not fit are cut, with a mark that names the memory.

Clients refuse or drop answers that are too long for a model, and one memory alone may have 20,000 characters.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from governance.inputs import IntegerField
from governance.tokens import count

#: The tokens that a result takes beside a long text: ids, times, hashes and the beginning of its text.
_TOKENS_OF_A_RESULT = 400
#: A text of at most so many characters is never cut.
_NEVER_CUT = 200
#: The characters that count as a token at least. Some texts have few tokens (a thousand spaces), but clients count
#: characters too.
_CHARACTERS_OF_A_TOKEN = 5
#: The tokens of a mark.
_TOKENS_OF_A_MARK = 50
#: The names that are kept of a long list of names, if nothing else helps.
_NAMES_KEPT = 20
#: How far back a cut looks for a space.
_WORD = 40


def max_tokens_field() -> IntegerField:
    """The argument with the budget."""
    return IntegerField(
        min_value=500,
        max_value=100_000,
        default=8_000,
        help_text="Maximum tokens of the answer. Longer texts are cut with a mark.",
    )


def results_within(max_tokens: int) -> int:
    """How many results an answer may have, so that each can have some text."""
    return max(1, max_tokens // _TOKENS_OF_A_RESULT)


@dataclass(slots=True)
class _Text:
    """A text in the answer: its place and whose it is."""

    holder: Any
    key: Any
    text: str
    owner: str
    cost: int = 0


def fit(answer: dict[str, Any], max_tokens: int) -> int:
    """Cut the longest texts of `answer`, in place, until it has about `max_tokens`. Returns how many texts and lists
    were cut."""
    written = _written(answer)
    if len(written.encode()) <= max_tokens or (whole := _cost(written)) <= max_tokens:
        return 0
    texts = list(_texts(answer, ""))
    for one, cost in zip(texts, map(_cost_of, count([one.text for one in texts]), texts), strict=True):
        one.cost = cost
    rest = max_tokens - (whole - sum(one.cost for one in texts))
    most = _share(sorted(one.cost for one in texts), rest)
    longer = [one for one in texts if one.cost > most]
    for one in longer:
        one.holder[one.key] = _cut(one, most)
    return len(longer) + (_shorten_lists(answer) if _cost(_written(answer)) > max_tokens * 1.1 else 0)


def _written(answer: Any) -> str:
    return json.dumps(answer, ensure_ascii=False, separators=(",", ":"), default=str)


def _cost(text: str) -> int:
    return max(count([text])[0], len(text) // _CHARACTERS_OF_A_TOKEN)


def _cost_of(tokens: int, one: _Text) -> int:
    return max(tokens, len(one.text) // _CHARACTERS_OF_A_TOKEN)


def _texts(part: Any, owner: str) -> Iterator[_Text]:
    """The texts that may be cut."""
    if isinstance(part, Mapping):
        owner = _name_of(part) or owner
        places: Any = part.items()
    elif isinstance(part, list):
        places = enumerate(part)
    else:
        return
    for key, value in places:
        # a cursor is not for reading
        if isinstance(value, str) and len(value) > _NEVER_CUT and key != "next":
            yield _Text(part, key, value, owner)
        elif isinstance(value, Mapping | list):
            yield from _texts(value, owner)


def _name_of(part: Mapping[str, Any]) -> str:
    """The id of an object, with its name."""
    named = next((name for name in part if name.endswith("_id") and name not in _OF_OTHERS), None)
    return f"{named} {part[named]}" if named and part[named] else ""


#: Ids in an object that are not its own.
_OF_OTHERS = frozenset(("event_id", "session_id", "subject_id", "project_id", "forwards_id", "author_agent_id"))


def _share(costs: list[int], rest: int) -> int:
    """How many tokens each text may have, so that short texts stay whole and the others share what is left. `costs` are
    in ascending order."""
    for place, cost in enumerate(costs):
        share = rest // (len(costs) - place)
        if cost > share:
            return max(share - _TOKENS_OF_A_MARK, _TOKENS_OF_A_MARK)
        rest -= cost
    return costs[-1] if costs else 0


def _cut(one: _Text, most: int) -> str:
    length = max(len(one.text) * most // one.cost, _NEVER_CUT)
    space = one.text.rfind(" ", length - _WORD, length)
    shown = one.text[: space if space > 0 else length]
    whose = f"; {one.owner}" if one.owner else ""
    return f"{shown} … [cut after {len(shown):,} of {len(one.text):,} characters{whose}]"


def _shorten_lists(part: Any) -> int:
    """Keep the first names of long lists of names or ids, in place. Returns the number of lists."""
    if isinstance(part, list):
        if len(part) > _NAMES_KEPT and not isinstance(part[0], Mapping | list):
            del part[_NAMES_KEPT:]
            return 1
        return sum(map(_shorten_lists, part))
    return sum(map(_shorten_lists, part.values())) if isinstance(part, Mapping) else 0
