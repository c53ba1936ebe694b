-- The default privileges of roles on objects that they create.
SELECT a.defaclrole::int8, a.defaclobjtype::text, n.nspname::text,
    ARRAY(SELECT x.grantee || ' ' || x.privilege_type FROM pg_catalog.aclexplode(a.defaclacl) x)
FROM pg_catalog.pg_default_acl a LEFT JOIN pg_catalog.pg_namespace n ON n.oid = a.defaclnamespace
