"""Limits on the text of capsules."""

from governance.text import TextRule

#: The note, and its replacement by an amend.
NOTE = TextRule(20_000)
AMENDED_NOTE = TextRule(NOTE.max_length, may_be_blank=True)
#: One risk.
RISK = TextRule(2_000)
