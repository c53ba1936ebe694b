"""The MCP server: tools, memory and prompts for any MCP client, over stdio and HTTP, through the REST API."""
