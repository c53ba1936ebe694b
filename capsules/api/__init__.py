"""The API of capsules: each view checks the shape and the permission, and calls one service or reading function."""
