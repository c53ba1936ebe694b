"""Reading effective memory. Words come out of the gate functions only; nothing here writes but the access log."""
