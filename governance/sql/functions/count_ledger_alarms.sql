-- executable by: suture_app
-- The number of tenants whose sealing and publishing stopped. Needs no context; returns only a number.
CREATE OR REPLACE FUNCTION count_ledger_alarms() RETURNS bigint LANGUAGE sql STABLE SECURITY DEFINER AS $$
    SELECT count(*) FROM governance_merkletree t WHERE t.alarm IS NOT NULL
$$;
