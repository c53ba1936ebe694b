-- Tables whose rows are also rows of another table.
SELECT m.nspname::text, h.relname::text, c.relname::text
FROM pg_catalog.pg_inherits i JOIN pg_catalog.pg_class h ON h.oid = i.inhrelid
JOIN pg_catalog.pg_namespace m ON m.oid = h.relnamespace
JOIN pg_catalog.pg_class c ON c.oid = i.inhparent JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p')
