-- The number of tenants whose sealing and publishing stopped. Needs no context; answers a number only.
CREATE OR REPLACE FUNCTION count_ledger_alarms() RETURNS bigint LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT count(*) FROM governance_merkletree t WHERE t.alarm IS NOT NULL
$$;

ALTER FUNCTION count_ledger_alarms OWNER TO suture_gate;
GRANT EXECUTE ON FUNCTION count_ledger_alarms TO suture_app;
