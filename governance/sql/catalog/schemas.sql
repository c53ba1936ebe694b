SELECT n.nspname::text, n.nspowner::int8,
    ARRAY(
        SELECT x.grantee || ' ' || x.privilege_type || CASE WHEN x.is_grantable THEN ' with grant option' ELSE '' END
        FROM pg_catalog.aclexplode(coalesce(n.nspacl, pg_catalog.acldefault('n', n.nspowner))) x
        WHERE x.grantee <> n.nspowner)
FROM pg_catalog.pg_namespace n WHERE n.nspname = 'public'
