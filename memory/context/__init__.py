"""The active context bundle: what an agent gets before a turn, under a token budget (docs/context.md)."""
