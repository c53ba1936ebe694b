"""The part `beside`: Suture and other memory on the same PostgreSQL server, with the same texts and vectors."""
