"""Checkpoints: the saved states of running agents, and how their sessions go on from them."""
