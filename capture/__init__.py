"""Where memory comes from: what hooks and responses say, and the chunks of files. Clients send it (suture_client)."""
