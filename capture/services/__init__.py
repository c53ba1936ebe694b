"""Recording and deleting captures and versions of files."""
