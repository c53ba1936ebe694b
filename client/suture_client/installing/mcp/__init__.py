"""`suture mcp install`: Suture in the configuration of MCP clients."""
