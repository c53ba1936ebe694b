"""Prove identities and rights: replay the ledger's entries and compare the result with the rows in force."""
