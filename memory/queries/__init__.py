"""Reads effective memory. Text comes only from gate functions; this package writes only to the access log."""
