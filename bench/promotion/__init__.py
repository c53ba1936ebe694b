"""Promotion: how long the job takes to evaluate what changed in a large tenant."""
