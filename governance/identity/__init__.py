"""Tenants, agents and people, with their keys, names and second factors."""
