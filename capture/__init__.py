"""Where memory comes from: adapters, importers, the watcher and the command line."""
