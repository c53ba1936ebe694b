"""Verify that the record of a Suture server is complete and unchanged, without the server.

Contains the Merkle tree, signed tree heads, entries, exports, receipts, the verifier, its commands, and a witness.
"""
