-- The columns of tables and views, and grants on single columns.
SELECT a.attrelid::int8,
    pg_catalog.concat_ws(' ', a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod),
        CASE WHEN a.attnotnull THEN 'NOT NULL' END,
        CASE WHEN a.attidentity <> '' THEN 'IDENTITY' END,
        CASE WHEN a.attgenerated <> '' THEN 'GENERATED' END,
        'DEFAULT ' || pg_catalog.pg_get_expr(b.adbin, b.adrelid)),
    ARRAY(
        SELECT x.grantee || ' ' || x.privilege_type || ' (' || a.attname || ')'
            || CASE WHEN x.is_grantable THEN ' with grant option' ELSE '' END
        FROM pg_catalog.aclexplode(a.attacl) x)
FROM pg_catalog.pg_attribute a
JOIN pg_catalog.pg_class c ON c.oid = a.attrelid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN pg_catalog.pg_attrdef b ON b.adrelid = a.attrelid AND b.adnum = a.attnum
WHERE a.attnum > 0 AND NOT a.attisdropped AND n.nspname = 'public' AND c.relkind IN ('r', 'p', 'f', 'v', 'm')
