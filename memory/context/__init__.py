"""The active context bundle: the memory that an agent gets before a turn, within a token budget (docs/context.md)."""
