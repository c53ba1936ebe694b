"""Suture's client: hooks, the watcher, importers, the MCP server on stdio, and the checkpoint client."""

__version__ = "0.1.0"
