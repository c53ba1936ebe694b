-- Not those of NOT NULL, which columns have, and which older servers do not list.
SELECT k.conname::text, c.relname::text, pg_catalog.pg_get_constraintdef(k.oid), k.convalidated
FROM pg_catalog.pg_constraint k
JOIN pg_catalog.pg_class c ON c.oid = k.conrelid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE k.contype NOT IN ('n', 't') AND n.nspname = 'public'
