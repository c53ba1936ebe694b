-- Tables, views and sequences. Grants are to roles other than the owner; without a list they are PostgreSQL's default.
SELECT c.oid::int8, c.relname::text, c.relkind::text, c.relowner::int8, c.relrowsecurity, c.relforcerowsecurity,
    coalesce(c.reloptions, '{}'),
    ARRAY(
        SELECT x.grantee || ' ' || x.privilege_type || CASE WHEN x.is_grantable THEN ' with grant option' ELSE '' END
        FROM pg_catalog.aclexplode(coalesce(c.relacl, pg_catalog.acldefault(
            CASE c.relkind WHEN 'S' THEN 's'::pg_catalog."char" ELSE 'r'::pg_catalog."char" END, c.relowner))) x
        WHERE x.grantee <> c.relowner),
    CASE WHEN c.relkind IN ('v', 'm') THEN pg_catalog.pg_get_viewdef(c.oid) END
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p', 'f', 'v', 'm', 'S')
  AND NOT EXISTS (
      SELECT FROM pg_catalog.pg_depend d
      WHERE d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.objid = c.oid AND d.deptype = 'e')
