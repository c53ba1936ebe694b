"""What governance answers over HTTP."""
