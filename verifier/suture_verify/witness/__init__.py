"""A witness: a small server that cosigns tree heads which continue those that it cosigned before."""
