"""HTTP for capsules: a shape check, a permission, one service or reading call."""
