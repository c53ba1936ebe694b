"""`suture watch`: keeps the memory of Markdown files in step with the files of watched directories."""
