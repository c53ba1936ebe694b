"""Proof that the record is whole, as pure code: Merkle trees, signed tree heads, entries, exports and their verifier.

Nothing here needs the server or its database, so that whoever holds an export can check it.
"""
