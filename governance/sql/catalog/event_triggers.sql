SELECT e.evtname::text, e.evtowner::int8, e.evtevent::text, e.evtenabled::text, e.evtfoid::pg_catalog.regproc::text,
    coalesce(e.evttags, '{}')
FROM pg_catalog.pg_event_trigger e
WHERE NOT EXISTS (
    SELECT FROM pg_catalog.pg_depend d
    WHERE d.classid = 'pg_catalog.pg_event_trigger'::pg_catalog.regclass AND d.objid = e.oid AND d.deptype = 'e')
