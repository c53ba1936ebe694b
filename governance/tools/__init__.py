"""Tools: what an agent may call, each declared once. The apps register theirs (`registry`); the API and MCP list them,
check their arguments and call them."""
