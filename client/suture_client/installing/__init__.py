"""`suture mcp install`: Suture among the MCP servers of a client, in the client's own configuration file."""
