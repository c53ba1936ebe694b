-- Our roles, and those that no guard of the database holds; not the superuser that the cluster was made with, which has
-- another name on every machine. Passwords are not part of it.
SELECT r.rolname::text, r.rolsuper, r.rolbypassrls, r.rolcreaterole, r.rolcreatedb, r.rolreplication, r.rolcanlogin,
    r.rolinherit, r.rolconnlimit, (r.rolvaliduntil AT TIME ZONE 'UTC')::text, r.oid::int8
FROM pg_catalog.pg_roles r
WHERE r.oid <> 10 AND (r.rolname ~ '^suture_' OR r.rolsuper OR r.rolbypassrls)
