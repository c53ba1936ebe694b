-- Without NOT NULL constraints: the columns show them, and older servers do not list them.
SELECT k.conname::text, c.relname::text, pg_catalog.pg_get_constraintdef(k.oid), k.convalidated
FROM pg_catalog.pg_constraint k
JOIN pg_catalog.pg_class c ON c.oid = k.conrelid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE k.contype NOT IN ('n', 't') AND n.nspname = 'public'
