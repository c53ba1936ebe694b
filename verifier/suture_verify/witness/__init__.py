"""A witness: a small server that cosigns a tree head only if it extends the last one that it cosigned."""
