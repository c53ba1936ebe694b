"""Tenants, identities, policies, edits and the ledger that proves them. The bottom app."""
