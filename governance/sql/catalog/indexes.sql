-- Only unique indexes: all others affect only the speed of queries.
SELECT i.relname::text, pg_catalog.pg_get_indexdef(x.indexrelid), x.indisvalid AND x.indisready AND x.indisunique
FROM pg_catalog.pg_index x JOIN pg_catalog.pg_class i ON i.oid = x.indexrelid
JOIN pg_catalog.pg_class c ON c.oid = x.indrelid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE x.indisunique AND n.nspname = 'public'
