-- Functions of the server that these statements and row security use, and those for large objects, which nobody may
-- call.
SELECT p.proname::text, pg_catalog.oidvectortypes(p.proargtypes), l.lanname::text, p.prosrc,
    ARRAY(
        SELECT x.grantee || ' ' || x.privilege_type || CASE WHEN x.is_grantable THEN ' with grant option' ELSE '' END
        FROM pg_catalog.aclexplode(coalesce(p.proacl, pg_catalog.acldefault('f', p.proowner))) x
        WHERE x.grantee <> p.proowner)
FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
JOIN pg_catalog.pg_language l ON l.oid = p.prolang
WHERE n.nspname = 'pg_catalog' AND (p.proname IN (
    'acldefault', 'aclexplode', 'concat_ws', 'convert_to', 'current_database', 'current_setting', 'encode',
    'format_type', 'int4send', 'oidvectortypes', 'pg_backend_pid', 'pg_get_constraintdef', 'pg_get_expr',
    'pg_get_function_arguments', 'pg_get_function_result', 'pg_get_function_sqlbody', 'pg_get_indexdef',
    'pg_get_ruledef', 'pg_get_triggerdef', 'pg_get_viewdef', 'regprocout', 'set_config', 'sha256',
    'timestamptz_send', 'transaction_timestamp', 'uuid_eq') OR p.proname ~ '^(lo_.*|loread|lowrite)$')
