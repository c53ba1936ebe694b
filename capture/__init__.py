"""The sources of memory: hooks, responses, and chunks of files. Clients send it (suture_client)."""
