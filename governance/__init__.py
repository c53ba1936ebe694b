"""Who may do what, and proof that they did: tenants, identities, policies, edits, the ledger. The bottom app."""
