"""The single-node stack: one supervisor for PostgreSQL and Valkey (from wheels) and the processes of Suture."""
