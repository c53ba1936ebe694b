"""Who stands in which relation to what, and the audiences that follow from it (docs/principals.md)."""
