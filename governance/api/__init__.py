"""HTTP for governance: a shape check, a permission, one service call."""
