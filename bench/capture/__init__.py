"""Capture: what hooks cost a coding agent, how fast memories are taken, and how soon Markdown files are searchable."""
