"""The MCP server: the tools, memory and prompts of the REST API for any MCP client, over stdio and HTTP."""
