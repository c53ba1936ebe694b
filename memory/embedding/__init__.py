"""Space E1: vectors of meaning, from a local model or a service, for chunks (a job) and for questions."""
