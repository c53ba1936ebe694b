-- Lock some chunks, and their neighbours, whose context they change, until the end of the transaction: in session order,
-- as everybody locks them. Two neighbours that are edited at once would otherwise each miss what the other no longer says.
CREATE OR REPLACE FUNCTION lock_surroundings(p_tenant uuid, p_chunks uuid[]) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    PERFORM 1 FROM unnest(surroundings_of(p_tenant, p_chunks)) i (id)
    CROSS JOIN LATERAL (
        SELECT 1 FROM memory_effectivechunk x WHERE x.tenant_id = p_tenant AND x.id = i.id FOR UPDATE) locked;
END $$;

ALTER FUNCTION lock_surroundings OWNER TO suture_gate;
