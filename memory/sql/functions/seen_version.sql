-- The number of edits applied to a chunk, if the actor may read it in at least one of their channels; else NULL. For
-- reports about a memory, which do not repeat the channel in which it was read.
CREATE OR REPLACE FUNCTION seen_version(p_tenant uuid, p_chunk uuid, p_include_quarantined boolean) RETURNS int
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE me acting_context := acting(p_tenant);
BEGIN
    RETURN (
        SELECT x.edits_applied FROM memory_effectivechunk x
        WHERE x.tenant_id = p_tenant AND x.id = p_chunk AND EXISTS (
            SELECT FROM unnest(me.channels) c (name)
            WHERE is_seen(x, ARRAY[c.name], reader_of(p_tenant, ARRAY[c.name]), p_include_quarantined)));
END $$;
