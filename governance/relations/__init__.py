"""Principals, their relations to objects, and the audiences of records."""
