"""`suture watch`: keeps memory up to date with the Markdown files of watched directories."""
