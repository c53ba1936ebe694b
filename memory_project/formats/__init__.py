"""How dates are written (settings.FORMAT_MODULE_PATH): Django's own formats of a language win over settings."""
