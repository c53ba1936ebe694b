"""The thirteen embedding spaces: pure functions of texts, without a database. See docs/spaces.md."""
