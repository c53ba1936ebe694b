"""Tools that agents can call. Each app registers its own (`registry`); the API and MCP list them, check their arguments
and call them."""
