"""Proof that the record is complete and unchanged: Merkle trees, signed tree heads, entries, exports and the verifier.

Nothing here needs the server or its database, so that everybody who has an export can verify it.
"""
