"""The ledger: signed entries, seals, tree heads outside the database, exports and verification."""
