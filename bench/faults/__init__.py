"""Faults: breaks one part of a real stack under load at a time, and checks everything that it acknowledged."""
