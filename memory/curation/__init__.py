"""An agent's own memory: commits, consolidations and blocks, on its chain of the ledger."""
