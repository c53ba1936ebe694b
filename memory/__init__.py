"""Memory: events, chunks, decisions, tasks, artifacts, and the effective memory that readers see."""
