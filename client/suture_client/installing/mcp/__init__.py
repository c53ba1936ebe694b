"""`suture mcp install`: add Suture to the configuration of MCP clients."""
