"""The API of captures and files."""
