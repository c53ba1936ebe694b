"""Benchmarks: run with `make bench`. Nothing in the application imports this package."""
