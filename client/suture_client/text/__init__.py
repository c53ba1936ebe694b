"""Text processing shared by client and server: masking secrets, and splitting long texts into chunks."""
