"""The use of memory: what it adds to a search that each chunk in its answer is noted as given."""
