"""Date formats (settings.FORMAT_MODULE_PATH): otherwise Django's formats of a language override the settings."""
