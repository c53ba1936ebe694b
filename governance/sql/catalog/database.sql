SELECT d.datdba::int8,
    ARRAY(
        SELECT x.grantee || ' ' || x.privilege_type || CASE WHEN x.is_grantable THEN ' with grant option' ELSE '' END
        FROM pg_catalog.aclexplode(coalesce(d.datacl, pg_catalog.acldefault('d', d.datdba))) x
        WHERE x.grantee <> d.datdba)
FROM pg_catalog.pg_database d WHERE d.datname = pg_catalog.current_database()
