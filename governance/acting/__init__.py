"""Principals, the credentials by which they act, and the gate that opens their context."""
