"""Database support of governance: SQL files, typed calls and append-only guards."""
