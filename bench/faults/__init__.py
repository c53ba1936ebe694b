"""Faults: a real stack under load, one part of it broken at a time, and what became of all that it acknowledged."""
