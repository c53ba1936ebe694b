"""Proof of every act: signed entries, seals, the tree heads outside the database, exports and their verification."""
