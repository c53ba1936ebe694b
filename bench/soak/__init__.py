"""`make soak`: hours of mixed load on a whole stack, and whether errors, memory, connections or backlogs grow."""
