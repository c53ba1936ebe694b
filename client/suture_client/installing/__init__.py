"""Writes Suture into the settings of other programs: MCP servers (`mcp/`) and hooks (`hooks/`)."""
