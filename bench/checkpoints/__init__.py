"""What saving and restoring the states of running agents costs."""
