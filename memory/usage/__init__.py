"""What use memory is of: who was given it, what came of it, and how far it can be relied on (docs/promotion.md)."""
