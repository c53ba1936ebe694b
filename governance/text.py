"""The rules for incoming text: its characters and, for each kind of text, its length.

The API, the forms of the admin, the import, the commands and the services all use them.
"""

import re
from dataclasses import dataclass

from governance.refusals import Invalid
from suture_client.text.escapes import without_escapes

# Unicode's Cc without tab, newline and carriage return, and halves of surrogate pairs.
_NOT_TAKEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")

BLANK = "This field may not be blank."
NO_TEXT = "Not a valid string."


@dataclass(frozen=True, slots=True)
class TextRule:
    """The rule for one kind of text. Lengths are in characters (code points)."""

    max_length: int
    #: Whether white space alone is accepted.
    may_be_blank: bool = False
    may_be_empty: bool = False
    #: Whether it may come from a terminal: its colours are dropped.
    may_be_coloured: bool = False

    def taken(self, text: object) -> object:
        """`text` as it is stored."""
        return without_escapes(text) if self.may_be_coloured and isinstance(text, str) else text

    def fault_in(self, text: object) -> str | None:
        """The error text for the author of `text`; None if the rule accepts it."""
        if not isinstance(text, str):
            return NO_TEXT
        if not text:
            return None if self.may_be_empty else BLANK
        if len(text) > self.max_length:
            return f"Ensure this field has no more than {self.max_length} characters."
        if found := _NOT_TAKEN.search(text):
            return _fault_of_character(found)
        if not (self.may_be_blank or self.may_be_empty) and text.isspace():
            return BLANK
        return None

    def require(self, text: str, pointer: str) -> str:
        """Return `text` if the rule accepts it. Raises Invalid, naming `pointer` as its place."""
        if fault := self.fault_in(text):
            raise Invalid(fault, pointer=pointer)
        return text


def _fault_of_character(found: re.Match[str]) -> str:
    number, code = found.start() + 1, f"U+{ord(found[0]):04X}"
    if found[0] >= "\ud800":
        return f"Character {number} is half of a surrogate pair ({code}), which cannot be stored."
    return f"Character {number} is the control character {code}; only tab and line breaks are allowed."


def cleaned(text: str) -> str:
    """`text` with each forbidden character replaced by a space."""
    return _NOT_TAKEN.sub(" ", text)


def unstorable_in(text: str) -> str | None:
    """The name of the first character of `text` that PostgreSQL cannot store; None if it can store them all."""
    found = _UNSTORABLE.search(text)
    if found is None:
        return None
    return "the NUL character" if found[0] == "\0" else "half of a surrogate pair"


#: An identifier that the caller chooses: a session, subject, project, actor or tag; a title or name of a record.
IDENTIFIER = TextRule(200)
#: The name of a tenant, an agent or a person (their form: governance.identity.names).
NAME = TextRule(50)
#: A reason.
REASON = TextRule(2_000)
#: An optional reason.
REMARK = TextRule(2_000, may_be_empty=True)

#: The text of an event.
EVENT_TEXT = TextRule(1_000_000, may_be_empty=True, may_be_coloured=True)
#: The statement of a decision.
STATEMENT = TextRule(1_000_000)
#: The new text of an amend; the operation checks that it is not blank.
AMENDED_TEXT = TextRule(1_000_000, may_be_blank=True)
#: One entry of a decision's rationale, constraints or alternatives.
PASSAGE = TextRule(10_000, may_be_blank=True)
#: A reference of an event.
REFERENCE = TextRule(2_000, may_be_blank=True)
SUMMARY = TextRule(20_000, may_be_blank=True)
#: Memory that an agent writes itself: a memory, a consolidation, a version of a memory block.
MEMORY = TextRule(20_000)

#: A search query.
QUERY = TextRule(1_000, may_be_blank=True)
#: A word or phrase that search results must or may not have, and the beginning of a word.
CONDITION = TextRule(200)
#: The topic of a context bundle.
TOPIC = TextRule(10_000)
