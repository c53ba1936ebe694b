"""Memory that is captured by itself: what hooks say, what agents respond, and Markdown files."""
