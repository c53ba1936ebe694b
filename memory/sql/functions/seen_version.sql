-- How many edits were applied to a chunk, if who acts gets it in at least one of their channels; else NULL. For what they
-- say about a memory, which they read in a channel that is not said again.
CREATE OR REPLACE FUNCTION seen_version(p_tenant uuid, p_chunk uuid, p_include_quarantined boolean) RETURNS int
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE me acting_context := acting(p_tenant);
BEGIN
    RETURN (
        SELECT x.edits_applied FROM memory_effectivechunk x
        WHERE x.tenant_id = p_tenant AND x.id = p_chunk AND EXISTS (
            SELECT FROM unnest(me.channels) c (name)
            WHERE is_seen(x, ARRAY[c.name], sensitivities_heard(p_tenant, ARRAY[c.name]), p_include_quarantined)));
END $$;
