"""Limits of what an author writes into a capsule."""

from governance.text import TextRule

#: The note, and what an amend replaces it by.
NOTE = TextRule(20_000)
AMENDED_NOTE = TextRule(NOTE.max_length, may_be_blank=True)
#: One risk.
RISK = TextRule(2_000)
