"""Adds Suture to the settings of other programs: as an MCP server (`mcp/`) and as hooks (`hooks/`)."""
