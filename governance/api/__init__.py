"""Governance over HTTP."""
