"""Django's PostgreSQL backend with every tenant table keyed, referenced and row-secured by tenant."""
