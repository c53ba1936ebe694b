"""What a text that comes in may be: its characters and, for each kind of text, its length.

Everything that takes text asks here: the API, the forms of the admin, the import, the commands and the services.
"""

import re
from dataclasses import dataclass

from governance.refusals import Invalid

# Unicode's Cc without tab, newline and carriage return, and halves of surrogate pairs.
_NOT_TAKEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")

BLANK = "This field may not be blank."
NO_TEXT = "Not a valid string."


@dataclass(frozen=True, slots=True)
class TextRule:
    """What a text of one kind may be. Lengths are in characters (code points)."""

    max_length: int
    #: White space alone is a text too.
    may_be_blank: bool = False
    may_be_empty: bool = False

    def fault_in(self, text: object) -> str | None:
        """What is wrong with `text`, as a sentence for its author; None if it may come in."""
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
        """`text`, if it may come in. Raises Invalid, which names `pointer` as its place."""
        if fault := self.fault_in(text):
            raise Invalid(fault, pointer=pointer)
        return text


def _fault_of_character(found: re.Match[str]) -> str:
    number, code = found.start() + 1, f"U+{ord(found[0]):04X}"
    if found[0] >= "\ud800":
        return f"Character {number} is half of a surrogate pair ({code}), which cannot be stored."
    return f"Character {number} is the control character {code}; only tab and line breaks are allowed."


def cleaned(text: str) -> str:
    """`text` with a space in place of each character that no text of Suture may have."""
    return _NOT_TAKEN.sub(" ", text)


def unstorable_in(text: str) -> str | None:
    """The name of the first character of `text` that PostgreSQL cannot store; None if it can store them all."""
    found = _UNSTORABLE.search(text)
    if found is None:
        return None
    return "the NUL character" if found[0] == "\0" else "half of a surrogate pair"


#: An identifier of the caller's: a session, a subject, a project, an actor, a tag; a title or a name of a record.
IDENTIFIER = TextRule(200)
#: The name of a tenant, an agent or a person (their form: governance.identity.names).
NAME = TextRule(50)
#: Why somebody does something.
REASON = TextRule(2_000)
#: The same where it may be left out.
REMARK = TextRule(2_000, may_be_empty=True)

#: What an event says.
EVENT_TEXT = TextRule(1_000_000, may_be_empty=True)
#: What a decision states.
STATEMENT = TextRule(1_000_000)
#: The words that an amend puts in place of others; that they are not blank is for the operation to say.
AMENDED_TEXT = TextRule(1_000_000, may_be_blank=True)
#: One entry of a decision's rationale, constraints or alternatives.
PASSAGE = TextRule(10_000, may_be_blank=True)
#: What an event refers to.
REFERENCE = TextRule(2_000, may_be_blank=True)
SUMMARY = TextRule(20_000, may_be_blank=True)
#: What an agent keeps of its own accord: a memory, a consolidation, a version of a memory block.
MEMORY = TextRule(20_000)

#: What to search for.
QUERY = TextRule(1_000, may_be_blank=True)
#: What a context bundle shall be about.
TOPIC = TextRule(10_000)
