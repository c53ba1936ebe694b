"""The API of capsules: each view checks the input and a permission, and makes one service or query call."""
