-- Triggers of foreign keys have oids in their names: the key and the function identify them.
SELECT t.tgname::text, c.relname::text, t.tgenabled::text,
    CASE WHEN t.tgisinternal THEN k.conname::text END, t.tgfoid::pg_catalog.regproc::text,
    CASE WHEN NOT t.tgisinternal THEN pg_catalog.pg_get_triggerdef(t.oid) END
FROM pg_catalog.pg_trigger t
JOIN pg_catalog.pg_class c ON c.oid = t.tgrelid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN pg_catalog.pg_constraint k ON k.oid = t.tgconstraint
WHERE n.nspname = 'public'
