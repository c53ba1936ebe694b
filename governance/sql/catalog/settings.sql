-- The settings of roles (0: every role) when they connect, to any database or to this one.
SELECT s.setrole::int8, s.setdatabase <> 0, s.setconfig
FROM pg_catalog.pg_db_role_setting s
WHERE s.setdatabase IN (
    0, (SELECT d.oid FROM pg_catalog.pg_database d WHERE d.datname = pg_catalog.current_database()))
