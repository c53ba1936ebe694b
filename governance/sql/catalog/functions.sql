-- Functions of our schema, and SECURITY DEFINER functions elsewhere.
SELECT n.nspname::text, p.proname::text, pg_catalog.oidvectortypes(p.proargtypes), p.proowner::int8,
    coalesce(p.proconfig, '{}'),
    ARRAY(
        SELECT x.grantee || ' ' || x.privilege_type || CASE WHEN x.is_grantable THEN ' with grant option' ELSE '' END
        FROM pg_catalog.aclexplode(coalesce(p.proacl, pg_catalog.acldefault('f', p.proowner))) x
        WHERE x.grantee <> p.proowner),
    pg_catalog.concat_ws(pg_catalog.chr(31), p.prosrc, p.probin, pg_catalog.pg_get_function_sqlbody(p.oid)),
    l.lanname::text, p.prokind::text, p.prosecdef, p.proleakproof, p.proisstrict, p.provolatile::text,
    p.proparallel::text, pg_catalog.pg_get_function_arguments(p.oid), pg_catalog.pg_get_function_result(p.oid)
FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
JOIN pg_catalog.pg_language l ON l.oid = p.prolang
WHERE (n.nspname = 'public' OR p.prosecdef AND n.nspname NOT IN ('pg_catalog', 'information_schema'))
  AND NOT EXISTS (
      SELECT FROM pg_catalog.pg_depend d
      WHERE d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass AND d.objid = p.oid AND d.deptype = 'e')
