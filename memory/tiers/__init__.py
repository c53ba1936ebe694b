"""Tiers, the life cycle of memory: the promotion job, promotion by hand, and queries about both."""
