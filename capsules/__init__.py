"""Capsules: curated bundles of memory for named agents, until a date."""
