"""HTTP for memory: a shape check, a permission, one service or reading call."""
