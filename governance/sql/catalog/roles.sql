-- Our roles, and those that bypass the database's guards, except the cluster's first superuser, whose name differs on
-- every machine. Passwords are not included.
SELECT r.rolname::text, r.rolsuper, r.rolbypassrls, r.rolcreaterole, r.rolcreatedb, r.rolreplication, r.rolcanlogin,
    r.rolinherit, r.rolconnlimit, (r.rolvaliduntil AT TIME ZONE 'UTC')::text, r.oid::int8
FROM pg_catalog.pg_roles r
WHERE r.oid <> 10 AND (r.rolname ~ '^suture_' OR r.rolsuper OR r.rolbypassrls)
