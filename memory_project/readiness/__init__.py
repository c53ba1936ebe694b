"""Readiness: whether this node can answer requests, and if not, what is missing."""
