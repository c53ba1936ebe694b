"""Edits and policies over HTTP: a shape check, a permission, one service call."""
