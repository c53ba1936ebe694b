"""Who may do what, proven: what the entries of the ledger say, replayed, and compared with the rows that decide."""
