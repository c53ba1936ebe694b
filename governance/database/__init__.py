"""What governance needs of Django's migrations: SQL files and the append-only guards."""
