"""The single-node stack: PostgreSQL and Valkey from wheels and the processes of Suture, one supervisor."""
