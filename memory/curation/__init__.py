"""An agent's own memory: what it commits, consolidates and keeps in blocks, on its chain of the ledger."""
