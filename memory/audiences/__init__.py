"""Who reads what: the simulator for people."""
